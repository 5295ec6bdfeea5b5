/** Pipes that broke a rule once: what was wrong, and the world. A failure prints such a line. All of them run in every test. */
export const oldPipes: readonly (readonly [fault: string, world: string])[] = [
  [
    'the rule did not know that the last page of a walk with maxPages is not requested a second time, so it may stay empty',
    '{"seed":200259,"operations":[{"paging":"token","size":1,"rows":2},{"paging":"token","size":1,"rows":2,"claims":0,"mishaps":[{"as":"emptyPage","every":1,"nth":2,"times":1},{"as":"stalled","every":2,"nth":1,"times":1}]}],"queries":1,"steps":[{"kind":"walk","operation":0,"concurrency":1,"from":"group"},{"kind":"fanOut","operation":1,"concurrency":2,"from":"id","maxPages":1}],"inFlight":1,"sink":"array","life":{"kind":"whole"}}',
  ],
  [
    'the rule did not know that a page that comes wrong twice is not requested a third time: the walk is told as short',
    '{"seed":9901467,"operations":[{"paging":"page","size":1,"rows":4},{"paging":"pages","size":1,"rows":4,"claims":0,"mishaps":[{"as":"emptyPage","every":5,"nth":3,"times":1},{"as":"lostToken","every":3,"nth":4,"times":1}]}],"queries":1,"steps":[{"kind":"walk","operation":0,"concurrency":1,"from":"id","lookahead":2},{"kind":"mergeMap","operation":1,"concurrency":1,"from":"id","lookahead":2}],"inFlight":1,"sink":"array","life":{"kind":"whole"}}',
  ],
  [
    'a page that was requested once more counted its rows twice, so the walk ended a page too early, where pages are counted',
    '{"seed":11290712,"operations":[{"paging":"pages","size":1,"rows":2,"claims":0,"mishaps":[{"as":"lostToken","every":4,"nth":1,"times":1}]},{"paging":"page","size":1,"rows":0},{"paging":"last","size":1,"rows":0,"cap":3}],"queries":1,"steps":[{"kind":"walk","operation":0,"concurrency":1,"from":"id"}],"inFlight":1,"maxRequests":2,"sink":"array","life":{"kind":"whole"}}',
  ],
];
