/** Texts for an approver who needs a passkey and has none. */
import type { ReactNode } from 'react';
import { say } from '../ui/say.ts';

export const missing = 'Passkey required. You don’t have one yet. Add one, then you return to this request.';
export const deviceKeyInstead = (command: ReactNode) =>
  say`You can also use a device key in your terminal: ${command}.`;
export const approveCommand = (id: string) => `permitry approve ${id}`;
export const add = 'Add a passkey';
