/** The text that names the approvers of a request, in the inbox and on its own page. */
import type { ReactNode } from 'react';
import { say } from '../../ui/say.ts';

export const named = (approvers: ReactNode) => say`The request names its approvers: ${approvers}.`;
