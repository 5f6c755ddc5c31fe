/** Texts of the policy's versions. */
import type { ReactNode } from 'react';
import { say } from '../../../../ui/say.ts';

export const active = 'Active';
export const approvedBy = (author: ReactNode, approver: ReactNode) => say`${author}, approved by ${approver}`;
export const hash = 'the hash of this version';
export const view = 'View';
export const viewWhat = (version: number) => `version ${version}`;
export const rollBack = 'Roll back to this version';
export const close = 'Close';
export const only = 'This is the only version, so there is nothing to compare it with.';
export const compareWith = 'Compare with';
export const changes = (from: number, to: number) => `Changes from version ${from} to version ${to}:`;
export const notLoaded = (version: number) => `Load more versions to compare with version ${version}.`;
