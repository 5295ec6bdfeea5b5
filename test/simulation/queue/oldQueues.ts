/** Flows over a queue that broke a rule once: what was wrong, and the world. A failure prints such a line. All of them run in every test. */
export const oldQueues: readonly (readonly [fault: string, world: string])[] = [
  [
    'a page that was on its way when its stage stopped left its result in Redis after the leader had gone',
    '{"seed":300066,"operations":[{"paging":"page","size":3,"rows":8,"claims":0},{"paging":"last","size":1,"rows":0}],"stages":[{"operation":0,"queries":3},{"operation":1,"each":0,"from":"id","pages":1,"limit":1,"stop":{"newRows":0.8,"over":2}}],"workers":[4],"commitMs":20,"troubles":[]}',
  ],
];
