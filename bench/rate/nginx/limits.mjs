/** @type {typeof import('./limits.mjs').nginxLimits} */
export const nginxLimits = [
  {
    name: 'r429nodelay',
    zone: 'limit_req_zone $server_port ZONE rate=50r/s;',
    rules: 'limit_req ZONE burst=20 nodelay; limit_req_status 429;',
    allowed: (seconds) => 21 + 50 * seconds,
  },
  {
    name: 'r429delay',
    zone: 'limit_req_zone $server_port ZONE rate=50r/s;',
    rules: 'limit_req ZONE burst=5; limit_req_status 429;',
    allowed: (seconds) => 1 + 50 * seconds,
  },
  {
    name: 'r503nodelay',
    zone: 'limit_req_zone $server_port ZONE rate=20r/s;',
    rules: 'limit_req ZONE burst=10 nodelay;',
    allowed: (seconds) => 11 + 20 * seconds,
  },
  {
    name: 'r503delay',
    zone: 'limit_req_zone $server_port ZONE rate=20r/s;',
    rules: 'limit_req ZONE burst=4;',
    allowed: (seconds) => 1 + 20 * seconds,
  },
  {
    name: 'conn503',
    zone: 'limit_conn_zone $server_port ZONE;',
    rules: 'limit_conn CONN 4;',
    slow: true,
    inFlight: 4,
  },
  {
    name: 'conn429',
    zone: 'limit_conn_zone $server_port ZONE;',
    rules: 'limit_conn CONN 4; limit_conn_status 429;',
    slow: true,
    inFlight: 4,
  },
  { name: 'free', zone: '', rules: '', slow: true },
];
