/** The message if BullMQ finds no Redis client package. undefined for any other error. */
export function missingDriver(error: unknown): string | undefined {
  return error instanceof Error && error.message.includes("'ioredis'") ? 'BullMQ needs a client of Redis: npm install ioredis' : undefined;
}
