/** Texts of the frame around every page of a project. */
import type { ReactNode } from 'react';
import { say } from '../../../ui/say.ts';

export const noProject = {
  title: 'Project not found',
  lead: 'Either it doesn’t exist, or you are not a member of it. An admin or owner of the project can invite you.',
  back: 'View your projects',
} as const;

/** @param what As in "agent". */
export const noItem = (what: string) => ({
  title: `${what.charAt(0).toUpperCase()}${what.slice(1)} not found`,
  lead: 'It may have been removed, or the address is incomplete or mistyped.',
});

export const stopped = 'This project is stopped.';
export const stoppedSince = (when: ReactNode) =>
  say`Stopped ${when}. New requests and every verification or use of a permit are refused until the project is started.`;
export const viewOrStart = 'View or start project';
export const viewStop = 'View details';
