/** Limits at which a client broke a rule once: what was wrong, and the world. A failure prints such a line. All of them run in every test. */
export const oldLimits: readonly (readonly [fault: string, world: string])[] = [
  [
    'a refusal in a body of HTTP 200 asked for a pause, and a request was sent before it was read',
    '{"seed":17,"limit":{"kind":"bucket","perSecond":20,"burst":1},"refuses":"200 with an error","retryAfter":"fraction","latencyMs":5,"concurrency":2,"forMs":10000}',
  ],
  [
    'after an outage of ten seconds the rate was that of the outage, two a second of a hundred',
    '{"seed":1808,"limit":{"kind":"window","requests":100,"perMs":1000},"tells":"epochMs","refuses":"429","outage":{"fromMs":1000,"forMs":10000,"as":503},"latencyMs":300,"concurrency":8,"forMs":30000}',
  ],
  [
    'a service that fails once in twenty requests slowed the client down at each failure, to a hundredth',
    '{"seed":1781,"limit":{"kind":"inFlight","most":10,"takesMs":50},"refuses":"503","failsEvery":20,"latencyMs":20,"concurrency":32,"forMs":30000}',
  ],
  [
    'a single request was refused, and for half a minute only one was in flight',
    '{"seed":2102,"limit":{"kind":"sliding","requests":50,"perMs":1000},"tells":"remainingOnly","refuses":"429","retryAfter":"date","latencyMs":100,"concurrency":32,"forMs":30000}',
  ],
  [
    'three failures of an outage were taken for a window, and the rate was held at a tenth for two minutes',
    '{"seed":9601302,"limit":{"kind":"inFlight","most":5,"takesMs":20},"refuses":"200 with an error","retryAfter":"seconds","outage":{"fromMs":3811,"forMs":1000,"as":503},"failsEvery":20,"latencyMs":50,"concurrency":32,"forMs":30000}',
  ],
  [
    'an outage while the rate rose from two a second took it for the limit, which was a hundred',
    '{"seed":9942625,"limit":{"kind":"queue","perSecond":100,"burst":1},"refuses":"200 with an error","retryAfter":"seconds","outage":{"fromMs":2951,"forMs":10000,"as":500},"latencyMs":5,"concurrency":2,"forMs":19937}',
  ],
  [
    'the rule wanted a request that got through before the first one could arrive, and then an outage lasted to the end',
    '{"seed":9901530,"limit":{"kind":"bucket","perSecond":50,"burst":20},"refuses":"429","outage":{"fromMs":100,"forMs":300000,"as":"reset"},"latencyMs":202,"concurrency":1,"forMs":30000}',
  ],
  [
    'a response that arrived just after the reset it names told nothing, so everything that waited was sent at once',
    '{"seed":22555,"limit":{"kind":"window","requests":1,"perMs":1000},"tells":"own","refuses":"429","outage":{"fromMs":317403,"forMs":60000,"as":"reset"},"latencyMs":299,"concurrency":11,"forMs":399968}',
  ],
  [
    'an outage right after the first refusals was taken for a period of a minute, and one request started every 13 seconds after it',
    '{"seed":281330452,"limit":{"kind":"sliding","requests":5,"perMs":1000},"refuses":"429","outage":{"fromMs":1286,"forMs":60000,"as":500},"latencyMs":5,"concurrency":1,"forMs":108101}',
  ],
  [
    'a rate counted as tried while what the headers told held the requests back: it rose to fourteen times the limit, and a quarter was refused',
    '{"seed":706039,"limit":{"kind":"sliding","requests":10,"perMs":1000},"tells":"remainingOnly","refuses":"429","latencyMs":297,"concurrency":7,"forMs":29962}',
  ],
  [
    'the first response after a reset was not heeded, because its request had started before others, and one request too many was sent',
    '{"seed":29286,"limit":{"kind":"window","requests":5,"perMs":1000},"tells":"iso","refuses":"503","retryAfter":"date","outage":{"fromMs":48049,"forMs":10000,"as":503},"latencyMs":300,"concurrency":10,"forMs":65372}',
  ],
];
