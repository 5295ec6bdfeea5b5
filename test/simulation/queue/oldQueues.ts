/** Flows over a queue that broke a rule once: what was wrong, and the world. A failure prints such a line. All of them run in every test. */
export const oldQueues: readonly (readonly [fault: string, world: string])[] = [
  [
    'a page that was on its way when its stage stopped left its result in Redis after the leader had gone',
    '{"seed":300066,"operations":[{"paging":"page","size":3,"rows":8,"claims":0},{"paging":"last","size":1,"rows":0}],"stages":[{"operation":0,"queries":3},{"operation":1,"each":0,"from":"id","pages":1,"limit":1}],"workers":[4],"commitMs":20,"troubles":[]}',
  ],
  [
    'the rule did not know that a leader leaves its jobs if Redis is away when it ends, for the next one to throw away',
    '{"seed":9905075,"operations":[{"paging":"token","size":1,"rows":0,"has":"place"},{"paging":"last","size":1,"rows":3,"claims":0},{"paging":"more","size":1,"rows":2},{"paging":"page","size":1,"rows":0}],"stages":[{"operation":0,"queries":2,"split":"area","csv":true},{"operation":1,"queries":2,"csv":true},{"operation":2,"each":1,"from":"group","limit":2},{"operation":3,"queries":3}],"workers":[1],"commitMs":100,"troubles":[{"kind":"killLeader","at":11},{"kind":"away","at":13}]}',
  ],
  [
    'a walk whose pages the service counts started over after its leader was killed, and took a page that the dead leader had requested',
    '{"seed":320,"operations":[{"paging":"scroll","size":1,"rows":3},{"paging":"pages","size":1,"rows":0}],"stages":[{"operation":0,"queries":1}],"workers":[4],"commitMs":100,"troubles":[{"kind":"killLeader","at":2}]}',
  ],
  [
    'a worker that came when the run had just ended was named behind the summary, which was to be the last value',
    '{"seed":381272274,"operations":[{"paging":"page","size":3,"rows":6},{"paging":"page","size":1,"rows":2,"claims":0},{"paging":"scroll","size":1,"rows":4},{"paging":"pages","size":1,"rows":2}],"stages":[{"operation":0,"queries":1,"csv":true},{"operation":1,"each":0,"from":"id"},{"operation":2,"each":0,"from":"id"},{"operation":3,"each":1,"from":"id","pages":1,"csv":true}],"workers":[2,2],"commitMs":0,"troubles":[{"kind":"closeWorker","at":17}]}',
  ],
];
