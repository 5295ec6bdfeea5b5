export { startProxy, type CallerStats, type Proxy, type ProxyOptions, type ProxyStats } from './startProxy.ts';
