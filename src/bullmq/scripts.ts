/** Lua scripts that BullMQ lacks. All keys share the queue's hash slot. */
export const scripts: {
  readonly [name in 'trawlerLead' | 'trawlerTake' | 'trawlerDrop' | 'trawlerLeave']: {
    readonly numberOfKeys: number;
    readonly lua: string;
  };
} = {
  /**
   * KEYS: the leader's lock, the results. ARGV: identity, lock in milliseconds, prefix of job keys, the last result that was
   * read, then job ids. Returns the other run that leads, or '' and then the ids of jobs that will bring no more results.
   */
  trawlerLead: {
    numberOfKeys: 2,
    lua: `
      local holder = redis.call('GET', KEYS[1])
      if holder and holder ~= ARGV[1] then return {holder} end
      redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
      local gone = {''}
      local allRead = #redis.call('XRANGE', KEYS[2], '(' .. ARGV[4], '+', 'COUNT', 1) == 0
      local over = allRead and 'finishedOn' or 'failedReason'
      for i = 5, #ARGV do
        local job = ARGV[3] .. ARGV[i]
        if redis.call('EXISTS', job) == 0 or redis.call('HEXISTS', job, over) == 1 then gone[#gone + 1] = ARGV[i] end
      end
      return gone`,
  },
  /**
   * KEYS: the run's identity. ARGV: identity. Takes the results for this run. Returns whether they were this run's already.
   */
  trawlerTake: {
    numberOfKeys: 1,
    lua: `
      local known = redis.call('GET', KEYS[1]) == ARGV[1]
      redis.call('SET', KEYS[1], ARGV[1])
      return known and 1 or 0`,
  },
  /** KEYS: the results. ARGV: ids of entries. */
  trawlerDrop: { numberOfKeys: 1, lua: `return redis.call('XDEL', KEYS[1], unpack(ARGV))` },
  /** KEYS: the leader's lock. ARGV: identity. */
  trawlerLeave: { numberOfKeys: 1, lua: `if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end return 1` },
};
