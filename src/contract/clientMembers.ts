/**
 * The members that every client has besides its operations. The client is built of these, and no operation may have such
 * a name.
 */
export const clientMembers = ['events$', 'health$', 'stats', 'explain', 'drift', 'close', 'toJSON'] as const;

export type ClientMember = (typeof clientMembers)[number];
