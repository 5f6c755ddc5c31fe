/** What the first project is called, and whose it is, when nobody says. */
export const FIRST_PROJECT = { project: 'First project', owner: 'owner@localhost' } as const;
