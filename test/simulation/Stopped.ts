/** What stops a process in the middle of something. */
export class Stopped extends Error {}
