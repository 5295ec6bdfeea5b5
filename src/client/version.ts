/** The package's version, as sent to the service. */
export const version = '0.1.0';
