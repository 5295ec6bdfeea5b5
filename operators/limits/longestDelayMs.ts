/** The longest delay a timer can have: on anything longer it fires at once. */
export const longestDelayMs: number = 2 ** 31 - 1;
