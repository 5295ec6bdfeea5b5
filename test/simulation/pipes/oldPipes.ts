/** Pipes that broke a rule once: what was wrong, and the world. A failure prints such a line. All of them run in every test. */
export const oldPipes: readonly (readonly [fault: string, world: string])[] = [
  [
    'the rule did not know that the last page of a walk with maxPages is not requested a second time, so it may stay empty',
    '{"seed":200259,"operations":[{"paging":"token","size":1,"rows":2},{"paging":"token","size":1,"rows":2,"claims":0,"mishaps":[{"as":"emptyPage","every":1,"nth":2,"times":1},{"as":"stalled","every":2,"nth":1,"times":1}]}],"queries":1,"steps":[{"kind":"walk","operation":0,"concurrency":1,"from":"group"},{"kind":"fanOut","operation":1,"concurrency":2,"from":"id","maxPages":1}],"inFlight":1,"sink":"array","life":{"kind":"whole"}}',
  ],
];
