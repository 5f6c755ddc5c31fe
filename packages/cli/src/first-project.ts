/** The default name and owner of the first project. */
export const FIRST_PROJECT = { project: 'First project', owner: 'owner@localhost' } as const;
