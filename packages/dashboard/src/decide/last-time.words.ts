/** Texts of the comparison with the last approval. */
import type { ReactNode } from 'react';
import { formatCount } from '../ui/format.ts';
import { say } from '../ui/say.ts';

export const neverApproved = (action: ReactNode) =>
  say`${action} hasn’t been approved in this project before.`;
export const approvedBefore = (by: ReactNode, at: ReactNode, link: ReactNode) =>
  say`${by} approved this action ${at}: ${link}.`;
export const viewThatRequest = 'view that request';
export const noChanges = 'The parameters are the same as last time.';
export const changes = (count: number) =>
  count === 1 ? '1 value changed' : `${formatCount(count)} values changed`;
