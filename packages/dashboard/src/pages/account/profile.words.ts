/** Texts of the profile page. */

export const nameSaved = 'Name saved.';
export const emailNote = 'It appears in each of your approvals. You can’t change it here.';

export const projects = 'Projects';
export const noProjects = 'You are not a member of any project. Ask an admin for an invitation.';
export const roles = { viewer: 'Viewer', approver: 'Approver', admin: 'Admin', owner: 'Owner' } as const;

export const theme = 'Theme';
export const themeLead = 'Saved on this device.';
