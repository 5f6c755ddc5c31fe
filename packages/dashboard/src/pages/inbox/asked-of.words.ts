/** Texts that name approvers, in the inbox and on the page of a request. */
import type { ReactNode } from 'react';
import { say } from '../../ui/say.ts';

export const anyApprover = 'any approver';
export const anyAdmin = 'any admin';
export const anOwner = 'an owner';

export const named = (approvers: ReactNode) => say`The request names its approvers: ${approvers}.`;
