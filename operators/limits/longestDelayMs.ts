/** The longest delay a timer supports. With a longer one it fires at once. */
export const longestDelayMs: number = 2 ** 31 - 1;
