/** Worlds that broke a rule once: what was wrong, and the world. A failure prints such a line. One in three of them runs in every test, others every day. */
export const oldWorlds: readonly (readonly [fault: string, world: string])[] = [
  [
    'a run that was stopped after its last page said complete, and its files were not finished',
    '{"seed":61,"operations":[{"paging":"more","size":1,"rows":1,"mishaps":[{"as":"400","every":2,"nth":1,"times":1}]},{"paging":"token","size":1,"rows":0}],"stages":[{"operation":0,"queries":3},{"operation":1,"each":0,"from":"id"}],"life":[{"kind":"run","fate":{"kind":"full","at":44},"concurrency":1,"inFlight":1,"commitMs":17},{"kind":"run","fate":{"kind":"power","at":47,"on":"disk"},"update":true,"concurrency":1,"inFlight":1,"commitMs":0},{"kind":"run","fate":{"kind":"stop","at":47,"on":"disk"},"failures":true,"concurrency":1,"inFlight":1,"commitMs":0}]}',
  ],
  [
    'a full disk at the end of an update left a file open',
    '{"seed":362,"operations":[{"paging":"pages","size":1,"rows":0,"mishaps":[{"as":"torn","every":1,"nth":2,"times":3}]},{"paging":"last","size":1,"rows":0},{"paging":"pages","size":1,"rows":0},{"paging":"received","size":1,"rows":0}],"stages":[{"operation":0,"queries":2},{"operation":1,"each":0,"from":"id"},{"operation":2,"each":1,"from":"group"},{"operation":3,"each":2,"from":"id","pages":1,"csv":true}],"life":[{"kind":"run","fate":{"kind":"power","at":112,"on":"disk"},"concurrency":1,"inFlight":1,"commitMs":0,"rival":1},{"kind":"run","fate":{"kind":"full","at":84},"update":true,"concurrency":1,"inFlight":1,"commitMs":0}]}',
  ],
  [
    'a lock whose draft could not be removed was held by nobody, and refused every later run',
    '{"seed":362,"operations":[{"paging":"pages","size":1,"rows":0,"mishaps":[{"as":"torn","every":1,"nth":2,"times":3}]},{"paging":"last","size":1,"rows":0},{"paging":"pages","size":1,"rows":0},{"paging":"received","size":1,"rows":0}],"stages":[{"operation":0,"queries":2},{"operation":1,"each":0,"from":"id"},{"operation":2,"each":1,"from":"group"},{"operation":3,"each":2,"from":"id","pages":1,"csv":true}],"life":[{"kind":"run","fate":{"kind":"power","at":112,"on":"disk"},"concurrency":1,"inFlight":1,"commitMs":0,"rival":1},{"kind":"run","fate":{"kind":"full","at":84},"update":true,"concurrency":1,"inFlight":1,"commitMs":0}]}',
  ],
  [
    'under Windows a folder could not be resumed after a power cut: its journal was replaced while it was open',
    '{"seed":81,"operations":[{"paging":"more","size":1,"rows":0},{"paging":"pages","size":1,"rows":0},{"paging":"page","size":1,"rows":0,"claims":4}],"stages":[{"operation":2,"queries":1}],"windows":true,"life":[{"kind":"run","fate":{"kind":"power","at":15,"on":"request"},"concurrency":1,"inFlight":1,"commitMs":0},{"kind":"run","fate":{"kind":"power","at":40,"on":"disk"},"failures":true,"concurrency":1,"inFlight":1,"commitMs":0}]}',
  ],
  [
    'under Windows no update came to its end: the journal was replaced while it was open',
    '{"seed":19,"operations":[{"paging":"received","size":1,"rows":0}],"stages":[{"operation":0,"queries":1}],"windows":true,"life":[]}',
  ],
  [
    'a disk that was full when finished files got their names lost the files without rows, which the journal counted',
    '{"seed":362,"operations":[{"paging":"pages","size":1,"rows":0,"mishaps":[{"as":"torn","every":1,"nth":2,"times":3}]},{"paging":"last","size":1,"rows":0},{"paging":"pages","size":1,"rows":0},{"paging":"received","size":1,"rows":0}],"stages":[{"operation":0,"queries":2},{"operation":1,"each":0,"from":"id"},{"operation":2,"each":1,"from":"group"},{"operation":3,"each":2,"from":"id","pages":1,"csv":true}],"life":[{"kind":"run","fate":{"kind":"power","at":112,"on":"disk"},"concurrency":1,"inFlight":1,"commitMs":0,"rival":1},{"kind":"run","fate":{"kind":"full","at":84},"update":true,"concurrency":1,"inFlight":1,"commitMs":0}]}',
  ],
  [
    'seed 32, which broke a rule once',
    '{"seed":32,"operations":[{"paging":"pages","size":2,"rows":6,"claims":8},{"paging":"received","size":4,"rows":3,"claims":0,"mishaps":[{"as":"samePage","every":4,"nth":4,"times":3},{"as":"500","every":1,"nth":1,"times":1},{"as":"lostToken","every":4,"nth":1,"times":3}]}],"stages":[{"operation":0,"queries":3,"gone":"drop"},{"operation":1,"each":0,"from":"id","gone":"drop"}],"life":[{"kind":"run","fate":{"kind":"end"},"update":true,"concurrency":32,"inFlight":4,"commitMs":1},{"kind":"run","fate":{"kind":"power","at":16,"on":"disk"},"concurrency":1,"inFlight":1,"commitMs":1000}]}',
  ],
  [
    'seed 76, which broke a rule once',
    '{"seed":76,"operations":[{"paging":"received","size":6,"rows":17},{"paging":"received","size":2,"rows":2}],"stages":[{"operation":0,"queries":3},{"operation":1,"each":0,"from":"id","csv":true}],"limit":{"perSecond":6,"told":false},"store":true,"life":[{"kind":"clock","ms":-86400000},{"kind":"run","fate":{"kind":"full","at":67},"update":true,"concurrency":32,"inFlight":4,"commitMs":0},{"kind":"run","fate":{"kind":"kill","at":18,"on":"disk"},"concurrency":2,"inFlight":1,"commitMs":100},{"kind":"run","fate":{"kind":"power","at":6,"on":"disk"},"concurrency":2,"inFlight":2,"commitMs":0}]}',
  ],
  [
    'under Windows a power cut after an update took it back, because nothing was synced after its last names',
    '{"seed":323,"operations":[{"paging":"pages","size":1,"rows":0},{"paging":"pages","size":1,"rows":0},{"paging":"pages","size":1,"rows":0},{"paging":"last","size":1,"rows":0}],"stages":[{"operation":0,"queries":1}],"windows":true,"life":[{"kind":"run","fate":{"kind":"end"},"concurrency":1,"inFlight":1,"commitMs":0},{"kind":"day"},{"kind":"run","fate":{"kind":"end"},"update":true,"concurrency":1,"inFlight":1,"commitMs":0},{"kind":"run","fate":{"kind":"power","at":4,"on":"disk"},"concurrency":1,"inFlight":1,"commitMs":0}]}',
  ],
  [
    'the rule took an update for lost whose last step was cut off and that the next run completed',
    '{"seed":333,"operations":[{"paging":"page","size":1,"rows":2}],"stages":[{"operation":0,"queries":2,"gone":"drop"}],"life":[{"kind":"run","fate":{"kind":"kill","at":14,"on":"request"},"concurrency":1,"inFlight":1,"commitMs":0},{"kind":"day"},{"kind":"run","fate":{"kind":"power","at":107,"on":"disk"},"update":true,"concurrency":1,"inFlight":1,"commitMs":0}]}',
  ],
  [
    'a request that a stop reached while its path was being reserved in the store was sent, and nobody waited for it',
    '{"seed":2190,"operations":[{"paging":"received","size":1,"rows":3,"mishaps":[{"as":"reset","every":2,"nth":4,"times":1000},{"as":"reset","every":5,"nth":2,"times":3}]},{"paging":"received","size":1,"rows":0}],"stages":[{"operation":0,"queries":3,"pages":3}],"store":true,"life":[{"kind":"run","fate":{"kind":"stop","at":67,"on":"disk"},"concurrency":2,"inFlight":1,"commitMs":0}]}',
  ],
  [
    'the rule took an update for lost whose names a kill cut off, and that the next run completed',
    '{"seed":2795,"operations":[{"paging":"last","size":1,"rows":0}],"stages":[{"operation":0,"queries":1,"gone":"drop"}],"life":[{"kind":"run","fate":{"kind":"power","at":60,"on":"disk"},"concurrency":1,"inFlight":1,"commitMs":0},{"kind":"day"},{"kind":"run","fate":{"kind":"kill","at":78,"on":"disk"},"update":true,"maxRequests":2,"concurrency":1,"inFlight":1,"commitMs":0}]}',
  ],
  [
    'a short query that was walked again took its pages from the store, so no row could come, and it was final',
    '{"seed":5910,"operations":[{"paging":"pages","size":1,"rows":9,"claims":0,"mishaps":[{"as":"samePage","every":4,"nth":4,"times":2}],"dated":true},{"paging":"page","size":1,"rows":0},{"paging":"received","size":1,"rows":0}],"stages":[{"operation":0,"queries":1,"since":true}],"store":true,"life":[{"kind":"run","fate":{"kind":"power","at":22,"on":"request"},"concurrency":1,"inFlight":1,"commitMs":0}]}',
  ],
  [
    'the rule did not know that a walk of one page starts over where its next page has no token',
    '{"seed":6191,"operations":[{"paging":"more","size":1,"rows":5},{"paging":"token","size":2,"rows":3}],"stages":[{"operation":0,"queries":3},{"operation":1,"each":0,"from":"group"}],"life":[{"kind":"run","fate":{"kind":"stop","at":16,"on":"request"},"concurrency":2,"inFlight":2,"commitMs":0}]}',
  ],
  [
    'a marker that could not be removed when a store was closed left its reservations open',
    '{"seed":396,"operations":[{"paging":"more","size":3,"rows":6,"claims":4}],"stages":[{"operation":0,"queries":1,"csv":true}],"store":true,"life":[{"kind":"run","fate":{"kind":"broken","at":30,"on":"name"},"concurrency":1,"inFlight":1,"commitMs":0}]}',
  ],
  [
    'an update whose journal says that it is finished, and that was stopped before its files had their names, replaced all rows by nothing',
    '{"seed":10505,"operations":[{"paging":"token","size":1,"rows":0,"dated":true},{"paging":"last","size":1,"rows":0},{"paging":"last","size":1,"rows":1}],"stages":[{"operation":0,"queries":1,"since":true},{"operation":1,"each":0,"from":"group","csv":true},{"operation":2,"queries":3}],"life":[{"kind":"run","fate":{"kind":"end"},"concurrency":1,"inFlight":1,"commitMs":0},{"kind":"run","fate":{"kind":"power","at":29,"on":"name"},"update":true,"concurrency":1,"inFlight":1,"commitMs":0},{"kind":"run","fate":{"kind":"stop","at":33,"on":"disk"},"update":true,"concurrency":1,"inFlight":1,"commitMs":0}]}',
  ],
  [
    'the rule took failures of an earlier day, requested again and cut off at their end, for an update',
    '{"seed":10375,"operations":[{"paging":"last","size":1,"rows":1},{"paging":"more","size":1,"rows":0},{"paging":"more","size":1,"rows":1,"claims":5}],"stages":[{"operation":0,"queries":1},{"operation":2,"each":0,"from":"group"}],"store":true,"life":[{"kind":"run","fate":{"kind":"end"},"concurrency":1,"inFlight":1,"commitMs":0},{"kind":"day"},{"kind":"run","fate":{"kind":"power","at":31,"on":"name"},"failures":true,"concurrency":1,"inFlight":1,"commitMs":0}]}',
  ],
  [
    'the rule did not know that a page is requested again to see whether the service is there',
    '{"seed":10602,"operations":[{"paging":"received","size":1,"rows":12,"dated":true},{"paging":"token","size":1,"rows":1},{"paging":"page","size":1,"rows":1},{"paging":"pages","size":1,"rows":0,"mishaps":[{"as":"500","every":1,"nth":1,"times":1000}]}],"stages":[{"operation":0,"queries":2,"since":true},{"operation":1,"each":0,"from":"group"},{"operation":2,"each":1,"from":"id"},{"operation":3,"each":2,"from":"id"}],"life":[{"kind":"run","fate":{"kind":"kill","at":23,"on":"request"},"concurrency":1,"inFlight":8,"commitMs":1000}]}',
  ],
  [
    'a finished update that was stopped before it took its place told of its own files, which were not in place',
    '{"seed":54,"operations":[{"paging":"received","size":1,"rows":2},{"paging":"pages","size":1,"rows":0}],"stages":[{"operation":0,"queries":1}],"life":[{"kind":"run","fate":{"kind":"end"},"concurrency":1,"inFlight":1,"commitMs":0,"rival":1},{"kind":"day"},{"kind":"run","fate":{"kind":"power","at":35,"on":"end"},"update":true,"concurrency":1,"inFlight":1,"commitMs":0},{"kind":"run","fate":{"kind":"stop","at":11,"on":"name"},"failures":true,"concurrency":1,"inFlight":1,"commitMs":0}]}',
  ],
  [
    'a walk that started over, because the service counts its pages, took a page from the store that another walk had left there',
    '{"seed":200714,"operations":[{"paging":"scroll","size":2,"rows":8},{"paging":"last","size":1,"rows":2}],"stages":[{"operation":0,"queries":1},{"operation":1,"each":0,"from":"id"}],"store":true,"life":[{"kind":"run","fate":{"kind":"power","at":64,"on":"disk"},"concurrency":1,"inFlight":1,"commitMs":0,"rival":1}]}',
  ],
  [
    'a walk that started over took an empty page that was to be looked at again for one that it had, and lost the rows that came then',
    '{"seed":561,"operations":[{"paging":"more","size":2,"rows":11,"cap":5,"has":"price","sorted":true},{"paging":"scroll","size":2,"rows":4,"claims":0,"mishaps":[{"as":"stalled","every":2,"nth":3,"times":1000},{"as":"emptyPage","every":5,"nth":1,"times":1},{"as":"emptyPage","every":1,"nth":2,"times":1}]},{"paging":"merge","size":3,"rows":4,"ties":2,"mishaps":[{"as":"503","every":3,"nth":4,"times":3},{"as":"500","every":3,"nth":3,"times":1}]}],"stages":[{"operation":0,"queries":1,"split":"range","csv":true},{"operation":1,"each":0,"from":"group","csv":true},{"operation":2,"each":1,"from":"group","gone":"drop","by":true}],"life":[{"kind":"run","fate":{"kind":"power","at":18,"on":"request"},"concurrency":32,"inFlight":1,"commitMs":20},{"kind":"run","fate":{"kind":"kill","at":17,"on":"name"},"update":true,"concurrency":2,"inFlight":4,"commitMs":100,"rival":6}]}',
  ],
  [
    'a folder whose first process was killed at its beginning had a name that nobody synced, and a power cut after the run took all of it',
    '{"seed":50557,"operations":[{"paging":"received","size":2,"rows":5,"ties":2,"claims":0}],"stages":[{"operation":0,"queries":1,"gone":"drop"}],"life":[{"kind":"day"},{"kind":"run","fate":{"kind":"kill","at":11,"on":"disk"},"concurrency":1,"inFlight":4,"commitMs":100},{"kind":"clock","ms":-86400000},{"kind":"day"},{"kind":"run","fate":{"kind":"power","at":24,"on":"name"},"concurrency":1,"inFlight":1,"commitMs":20}]}',
  ],
  [
    'an update dropped a row as gone that the page still had, beyond the limit of rows',
    '{"seed":50857,"operations":[{"paging":"page","size":6,"rows":14,"claims":0,"dated":true},{"paging":"more","size":2,"rows":2,"mishaps":[{"as":"429","every":1,"nth":1,"times":3,"day":1}]}],"stages":[{"operation":0,"queries":1,"pages":1,"since":true,"gone":"drop","csv":true},{"operation":1,"each":0,"from":"group","expect":true}],"store":true,"life":[{"kind":"run","fate":{"kind":"end"},"concurrency":1,"inFlight":1,"commitMs":20},{"kind":"run","fate":{"kind":"power","at":59,"on":"disk"},"concurrency":32,"inFlight":8,"commitMs":0},{"kind":"edit"},{"kind":"day"},{"kind":"run","fate":{"kind":"power","at":27,"on":"request"},"update":true,"maxRequests":9,"concurrency":2,"inFlight":2,"commitMs":0},{"kind":"run","fate":{"kind":"end"},"update":true,"concurrency":4,"inFlight":8,"commitMs":1000}]}',
  ],
  [
    'a service that counts the pages of a token refused one: with a store, the walk requested its first page again and went on behind it, and lost rows',
    '{"seed":91008,"operations":[{"paging":"token","size":1,"rows":6},{"paging":"scroll","size":1,"rows":23,"mishaps":[{"as":"torn","every":3,"nth":1,"times":3,"day":1},{"as":"400","every":2,"nth":3,"times":1}],"has":"price"}],"stages":[{"operation":0,"queries":1},{"operation":1,"each":0,"from":"group","split":"range"}],"outage":{"fromMs":1216,"forMs":37057,"as":503},"store":true,"life":[{"kind":"run","fate":{"kind":"power","at":28,"on":"end"},"concurrency":1,"inFlight":1,"commitMs":0}]}',
  ],
  [
    'a tile whose walk started over after a kill counted only the rows that had not come before, so it seemed not to be full, and was not split',
    '{"seed":93717,"operations":[{"paging":"scroll","size":1,"rows":18,"cap":10,"has":"place"},{"paging":"last","size":1,"rows":0},{"paging":"merge","size":1,"rows":0},{"paging":"page","size":1,"rows":0}],"stages":[{"operation":0,"queries":1,"split":"area"}],"life":[{"kind":"run","fate":{"kind":"kill","at":43,"on":"disk"},"concurrency":1,"inFlight":1,"commitMs":0}]}',
  ],
  [
    'a process that finished the move of an update whose process was killed took its record for synced, and a power cut split the run',
    '{"seed":105541,"operations":[{"paging":"page","size":1,"rows":1}],"stages":[{"operation":0,"queries":1}],"life":[{"kind":"run","fate":{"kind":"power","at":15,"on":"request"},"concurrency":1,"inFlight":1,"commitMs":0},{"kind":"day"},{"kind":"run","fate":{"kind":"kill","at":27,"on":"name"},"update":true,"concurrency":1,"inFlight":1,"commitMs":21},{"kind":"run","fate":{"kind":"power","at":24,"on":"disk"},"concurrency":1,"inFlight":1,"commitMs":0}]}',
  ],
  [
    'where folders cannot be synced, a finished run whose files got their names in a later process lost a name in a power cut',
    '{"seed":20922,"operations":[{"paging":"merge","size":3,"rows":5,"claims":2}],"stages":[{"operation":0,"queries":1}],"windows":true,"life":[{"kind":"run","fate":{"kind":"end"},"concurrency":1,"inFlight":1,"commitMs":0},{"kind":"run","fate":{"kind":"full","at":52,"on":"disk"},"failures":true,"concurrency":1,"inFlight":1,"commitMs":19,"dayAt":1},{"kind":"run","fate":{"kind":"power","at":20,"on":"request"},"concurrency":1,"inFlight":1,"commitMs":0}]}',
  ],
  [
    'a file of an update that was moved before its process was killed was gone after a power cut',
    '{"seed":20806,"operations":[{"paging":"pages","size":1,"rows":0}],"stages":[{"operation":0,"queries":1,"csv":true}],"life":[{"kind":"run","fate":{"kind":"end"},"concurrency":1,"inFlight":1,"commitMs":0},{"kind":"run","fate":{"kind":"kill","at":40,"on":"name"},"update":true,"concurrency":1,"inFlight":1,"commitMs":0},{"kind":"run","fate":{"kind":"power","at":11,"on":"end"},"concurrency":1,"inFlight":1,"commitMs":0}]}',
  ],
  [
    'a walk that started over left out as many pages as it had, and one of them had come twice in place of another: rows were missing',
    '{"seed":21876,"operations":[{"paging":"scroll","size":1,"rows":4,"claims":0,"mishaps":[{"as":"samePage","every":2,"nth":1,"times":2}],"dated":true},{"paging":"merge","size":1,"rows":0}],"stages":[{"operation":0,"queries":3,"since":true},{"operation":1,"each":0,"from":"id"}],"life":[{"kind":"run","fate":{"kind":"stop","at":112,"on":"disk"},"concurrency":3,"inFlight":1,"commitMs":0}]}',
  ],
  [
    'where folders cannot be synced, a file of a finished run that was opened again was torn under its own name after a power cut',
    '{"seed":200795,"operations":[{"paging":"received","size":2,"rows":2},{"paging":"pages","size":1,"rows":1,"claims":1},{"paging":"scroll","size":2,"rows":10,"has":"price","sorted":true},{"paging":"last","size":1,"rows":0}],"stages":[{"operation":0,"queries":1,"csv":true},{"operation":1,"each":0,"from":"id","pages":2,"csv":true},{"operation":2,"each":1,"from":"id","split":"range","csv":true},{"operation":3,"each":1,"from":"id","csv":true}],"store":true,"windows":true,"life":[{"kind":"run","fate":{"kind":"end"},"concurrency":1,"inFlight":1,"commitMs":0},{"kind":"day"},{"kind":"run","fate":{"kind":"broken","at":17,"on":"name"},"failures":true,"concurrency":1,"inFlight":1,"commitMs":0},{"kind":"run","fate":{"kind":"power","at":15,"on":"request"},"concurrency":16,"inFlight":8,"commitMs":1000}]}',
  ],
  [
    'a walk with since that failed half-way and went on a day later was said to be whole, and no later update looked for the row that had moved up',
    '{"seed":138,"operations":[{"paging":"page","size":1,"rows":8,"mishaps":[{"as":"400","every":1,"nth":3,"times":1}],"dated":true}],"stages":[{"operation":0,"queries":1,"since":true}],"life":[{"kind":"run","fate":{"kind":"end"},"concurrency":1,"inFlight":1,"commitMs":0},{"kind":"day"}]}',
  ],
  [
    'few places showed that a search sees far to the sides, and so far up and down it was taken to see, although places were missing there: a row between two views was never found',
    '{"seed":514,"operations":[{"paging":"pages","size":1,"rows":11,"cap":4,"has":"place"},{"paging":"received","size":1,"rows":0},{"paging":"scroll","size":1,"rows":0}],"stages":[{"operation":0,"queries":3,"split":"area"}],"life":[]}',
  ],
  [
    'a second lesson in how far a search sees searched where the first one had searched',
    '{"seed":336312,"operations":[{"paging":"received","size":1,"rows":18,"cap":6,"has":"place"},{"paging":"last","size":1,"rows":0},{"paging":"merge","size":1,"rows":0}],"stages":[{"operation":0,"queries":1,"pages":1,"split":"area"}],"life":[{"kind":"run","fate":{"kind":"end"},"concurrency":1,"inFlight":1,"commitMs":0},{"kind":"day"},{"kind":"day"}]}',
  ],
  [
    'an update whose first page came twice without its list said complete, though a new row was on it: a known row that was gone made up for it in the total',
    '{"seed":432232,"operations":[{"paging":"more","size":1,"rows":3,"claims":0,"mishaps":[{"as":"429","every":2,"nth":1,"times":1,"day":1},{"as":"noList","every":2,"nth":2,"times":3,"day":1}],"dated":true},{"paging":"more","size":1,"rows":0}],"stages":[{"operation":0,"queries":1,"since":true}],"life":[{"kind":"run","fate":{"kind":"end"},"concurrency":1,"inFlight":1,"commitMs":0},{"kind":"day"},{"kind":"run","fate":{"kind":"kill","at":10,"on":"request"},"update":true,"concurrency":1,"inFlight":1,"commitMs":0}]}',
  ],
  [
    'a folder whose first process was killed before the first record of its journal was on disk: a power cut took it from the next process, and left files that no journal knows',
    '{"seed":2844,"operations":[{"paging":"last","size":1,"rows":0,"dated":true},{"paging":"scroll","size":1,"rows":0},{"paging":"pages","size":1,"rows":0,"dated":true}],"stages":[{"operation":0,"queries":1},{"operation":1,"each":0,"from":"id"},{"operation":2,"each":0,"from":"id"}],"life":[{"kind":"run","fate":{"kind":"kill","at":8,"on":"disk"},"concurrency":1,"inFlight":1,"commitMs":0},{"kind":"run","fate":{"kind":"power","at":1,"on":"end"},"concurrency":1,"inFlight":1,"commitMs":0}]}',
  ],
  [
    'a walk whose first page came from a store went on behind a page that the service had counted for a process that died: its rows were missing',
    '{"seed":1362,"operations":[{"paging":"scroll","size":1,"rows":2},{"paging":"page","size":1,"rows":0},{"paging":"received","size":1,"rows":0},{"paging":"last","size":1,"rows":0}],"stages":[{"operation":0,"queries":1},{"operation":1,"each":0,"from":"group","csv":true},{"operation":2,"each":1,"from":"id","pages":1,"csv":true}],"store":true,"life":[{"kind":"run","fate":{"kind":"full","at":49,"on":"disk"},"failures":true,"concurrency":1,"inFlight":1,"commitMs":0},{"kind":"run","fate":{"kind":"broken","at":17,"on":"end"},"concurrency":1,"inFlight":1,"commitMs":11},{"kind":"run","fate":{"kind":"power","at":5,"on":"end"},"concurrency":4,"inFlight":4,"commitMs":1000}]}',
  ],
  [
    'a page that showed that the service counts was stored, and the next process took it for the end, though one before it had never arrived',
    '{"seed":1362,"operations":[{"paging":"scroll","size":1,"rows":2},{"paging":"page","size":1,"rows":0},{"paging":"received","size":1,"rows":0},{"paging":"last","size":1,"rows":0}],"stages":[{"operation":0,"queries":1},{"operation":1,"each":0,"from":"group","csv":true},{"operation":2,"each":1,"from":"id","pages":1,"csv":true},{"operation":3,"each":2,"from":"id"}],"store":true,"slowDisk":true,"life":[{"kind":"run","fate":{"kind":"full","at":49,"on":"disk"},"concurrency":1,"inFlight":1,"commitMs":0},{"kind":"run","fate":{"kind":"broken","at":17,"on":"end"},"concurrency":2,"inFlight":2,"commitMs":0}]}',
  ],
  [
    'the rule took a retry during which a day passed for one of that day, where an update completed it',
    '{"seed":4029,"operations":[{"paging":"scroll","size":1,"rows":1,"mishaps":[{"as":"reset","every":1,"nth":1,"times":3},{"as":"torn","every":4,"nth":2,"times":1000}],"dated":true},{"paging":"page","size":1,"rows":0},{"paging":"page","size":1,"rows":0}],"stages":[{"operation":0,"queries":3,"since":true},{"operation":1,"each":0,"from":"id"}],"life":[{"kind":"run","fate":{"kind":"end"},"concurrency":1,"inFlight":1,"commitMs":0},{"kind":"run","fate":{"kind":"full","at":4,"on":"end"},"failures":true,"concurrency":1,"inFlight":1,"commitMs":0,"dayAt":1},{"kind":"run","fate":{"kind":"power","at":100000,"on":"request"},"update":true,"concurrency":1,"inFlight":1,"commitMs":0}]}',
  ],
  [
    'an update whose one page came empty said complete and dropped a row that the service still counted, because a limit left no second page',
    '{"seed":741780,"operations":[{"paging":"token","size":1,"rows":1,"claims":0,"mishaps":[{"as":"429","every":4,"nth":2,"times":2,"day":1},{"as":"emptyPage","every":3,"nth":2,"times":1}]},{"paging":"more","size":1,"rows":0}],"stages":[{"operation":0,"queries":1,"pages":1,"gone":"drop"}],"life":[{"kind":"run","fate":{"kind":"end"},"concurrency":1,"inFlight":1,"commitMs":0},{"kind":"run","fate":{"kind":"end"},"update":true,"concurrency":1,"inFlight":1,"commitMs":0}]}',
  ],
  [
    'an update that reached its limit of rows with two fewer than the service claims dropped a row as gone, which a short page had left out',
    '{"seed":21179,"operations":[{"paging":"merge","size":2,"rows":5,"claims":0,"mishaps":[{"as":"400","every":5,"nth":2,"times":1,"day":1},{"as":"shortPage","every":3,"nth":2,"times":3}],"dated":true},{"paging":"token","size":1,"rows":0},{"paging":"page","size":1,"rows":0,"has":"price"}],"stages":[{"operation":0,"queries":1,"limit":2,"gone":"drop"}],"life":[{"kind":"run","fate":{"kind":"end"},"concurrency":1,"inFlight":1,"commitMs":0},{"kind":"run","fate":{"kind":"power","at":30,"on":"request"},"update":true,"concurrency":1,"inFlight":1,"commitMs":0}]}',
  ],
  [
    'drafts of a lock that a broken disk had kept were taken for the lock by a process of the same number, after a power cut: an update found its folder locked by nobody',
    '{"seed":4899,"operations":[{"paging":"received","size":2,"rows":2,"claims":0},{"paging":"scroll","size":2,"rows":6,"claims":0},{"paging":"page","size":4,"rows":2},{"paging":"token","size":3,"rows":4,"has":"price"}],"stages":[{"operation":0,"queries":1,"pages":2},{"operation":1,"queries":1},{"operation":2,"each":1,"from":"id"},{"operation":3,"each":0,"from":"id"}],"store":true,"life":[{"kind":"run","fate":{"kind":"end"},"concurrency":3,"inFlight":2,"commitMs":0},{"kind":"day"},{"kind":"run","fate":{"kind":"kill","at":8,"on":"end"},"update":true,"concurrency":2,"inFlight":8,"commitMs":100},{"kind":"run","fate":{"kind":"broken","at":19,"on":"disk"},"update":true,"concurrency":32,"inFlight":1,"commitMs":1},{"kind":"run","fate":{"kind":"power","at":5,"on":"name"},"failures":true,"concurrency":32,"inFlight":2,"commitMs":1000},{"kind":"run","fate":{"kind":"broken","at":21,"on":"end"},"failures":true,"concurrency":2,"inFlight":1,"commitMs":1,"dayAt":10}]}',
  ],
  [
    'an update that a limit capped added rows above a watermark that stayed, and the next one took them for missing: short with all of its rows',
    '{"seed":31001325,"operations":[{"paging":"last","size":1,"rows":1},{"paging":"token","size":1,"rows":1},{"paging":"pages","size":2,"rows":2,"claims":0,"mishaps":[{"as":"emptyPage","every":3,"nth":3,"times":3}],"dated":true}],"stages":[{"operation":0,"queries":1},{"operation":1,"each":0,"from":"id"},{"operation":2,"each":1,"from":"id","pages":2,"since":true}],"life":[{"kind":"run","fate":{"kind":"end"},"maxRequests":4,"concurrency":1,"inFlight":1,"commitMs":0},{"kind":"day"},{"kind":"run","fate":{"kind":"power","at":13,"on":"end"},"update":true,"concurrency":1,"inFlight":1,"commitMs":0}]}',
  ],
  [
    'after failures of an update had been retried, no update ever dropped a row that was gone: a retry reads no seeds, and was taken for one that had lost them',
    '{"seed":61058,"operations":[{"paging":"token","size":1,"rows":2},{"paging":"more","size":1,"rows":0,"mishaps":[{"as":"stalled","every":4,"nth":1,"times":1000,"day":1}],"has":"price"}],"stages":[{"operation":0,"queries":2,"gone":"drop"},{"operation":1,"each":0,"from":"group"}],"life":[{"kind":"run","fate":{"kind":"end"},"concurrency":1,"inFlight":1,"commitMs":0,"rival":1},{"kind":"day"},{"kind":"run","fate":{"kind":"stop","at":17,"on":"end"},"update":true,"concurrency":1,"inFlight":1,"commitMs":0},{"kind":"day"}]}',
  ],
  [
    'a walk that started over while its page was on its way was requested twice, and its second page came after its end',
    '{"seed":271111660,"operations":[{"paging":"scroll","size":3,"rows":5,"cap":3,"has":"place"}],"stages":[{"operation":0,"queries":2,"split":"area"}],"store":true,"slowDisk":true,"life":[{"kind":"run","fate":{"kind":"power","at":19,"on":"end"},"concurrency":16,"inFlight":8,"commitMs":20}]}',
  ],
  [
    'the rule took an update that completed a retry for an update: rows that are gone stay until the next one',
    '{"seed":283520391,"operations":[{"paging":"more","size":2,"rows":2,"claims":0,"mishaps":[{"as":"shortPage","every":1,"nth":4,"times":3}]},{"paging":"pages","size":1,"rows":0,"dated":true}],"stages":[{"operation":0,"queries":3,"gone":"drop"}],"life":[{"kind":"run","fate":{"kind":"end"},"concurrency":1,"inFlight":1,"commitMs":0},{"kind":"day"},{"kind":"run","fate":{"kind":"end"},"update":true,"concurrency":1,"inFlight":1,"commitMs":0},{"kind":"day"},{"kind":"run","fate":{"kind":"power","at":100000,"on":"request"},"update":true,"maxRequests":5,"concurrency":1,"inFlight":2,"commitMs":20},{"kind":"run","fate":{"kind":"power","at":16,"on":"name"},"failures":true,"concurrency":2,"inFlight":2,"commitMs":100,"dayAt":10},{"kind":"run","fate":{"kind":"end"},"update":true,"concurrency":4,"inFlight":2,"commitMs":1}]}',
  ],
  [
    'a resumed walk that started over alone left the others of its operation waiting for ever',
    '{"seed":910000388,"operations":[{"paging":"pages","size":1,"rows":3},{"paging":"scroll","size":1,"rows":2,"mishaps":[{"as":"400","every":1,"nth":2,"times":1000}],"has":"price"},{"paging":"merge","size":1,"rows":0}],"stages":[{"operation":0,"queries":1,"pages":2},{"operation":1,"each":0,"from":"id","pages":1,"split":"range"}],"life":[{"kind":"run","fate":{"kind":"end"},"concurrency":1,"inFlight":1,"commitMs":0},{"kind":"run","fate":{"kind":"end"},"failures":true,"concurrency":1,"inFlight":1,"commitMs":0}]}',
  ],
  [
    'a walk whose last row was that of a limit forgot what the service claims, and an update took a row of a short page for gone',
    '{"seed":910030410,"operations":[{"paging":"pages","size":2,"rows":3,"claims":0,"mishaps":[{"as":"shortPage","every":1,"nth":4,"times":1},{"as":"lostToken","every":2,"nth":1,"times":1}],"dated":true},{"paging":"scroll","size":1,"rows":0},{"paging":"received","size":1,"rows":0}],"stages":[{"operation":0,"queries":1,"pages":2,"since":true,"gone":"drop"}],"life":[{"kind":"run","fate":{"kind":"kill","at":59,"on":"end"},"concurrency":1,"inFlight":1,"commitMs":0},{"kind":"run","fate":{"kind":"kill","at":49,"on":"end"},"update":true,"concurrency":1,"inFlight":1,"commitMs":0}]}',
  ],
  [
    'a stored token was refused, its page was renewed, and the run never ended, because its budget was used up at that moment',
    '{"seed":1700000960,"operations":[{"paging":"scroll","size":1,"rows":3,"mishaps":[{"as":"400","every":2,"nth":2,"times":1}]},{"paging":"merge","size":1,"rows":0,"mishaps":[{"as":"503","every":1,"nth":1,"times":1000}],"has":"price"}],"stages":[{"operation":0,"queries":2,"limit":2},{"operation":1,"each":0,"from":"group"}],"limit":{"perSecond":20,"told":false},"outage":{"fromMs":290,"forMs":126997,"as":"reset"},"store":true,"life":[{"kind":"run","fate":{"kind":"full","at":37,"on":"end"},"concurrency":1,"inFlight":1,"commitMs":0},{"kind":"run","fate":{"kind":"end"},"maxRequests":14,"concurrency":2,"inFlight":1,"commitMs":0}]}',
  ],
  [
    'the same among the failures of an earlier run',
    '{"seed":74380645,"operations":[{"paging":"token","size":1,"rows":1},{"paging":"scroll","size":1,"rows":0,"claims":8},{"paging":"last","size":1,"rows":0,"mishaps":[{"as":"400","every":4,"nth":3,"times":1000}]}],"stages":[{"operation":0,"queries":3},{"operation":1,"each":0,"from":"group"},{"operation":2,"each":0,"from":"id"}],"store":true,"life":[{"kind":"run","fate":{"kind":"full","at":34,"on":"name"},"concurrency":1,"inFlight":1,"commitMs":0},{"kind":"run","fate":{"kind":"end"},"failures":true,"maxRequests":4,"concurrency":4,"inFlight":4,"commitMs":1000}]}',
  ],
  [
    'an area was given up after the searches of its lesson had failed, and its other rows were on no record',
    '{"seed":990266,"operations":[{"paging":"page","size":1,"rows":9,"mishaps":[{"as":"500","every":3,"nth":2,"times":1000}],"cap":5,"has":"place"}],"stages":[{"operation":0,"queries":1,"split":"area"}],"outage":{"fromMs":1269,"forMs":172114,"as":"reset"},"life":[{"kind":"run","fate":{"kind":"stop","at":34,"on":"name"},"concurrency":1,"inFlight":1,"commitMs":0}]}',
  ],
];
