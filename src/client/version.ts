/** The package's version, as it is told to the service. */
export const version = '0.1.0';
