/** Texts of the decision on several requests at once. */
import type { ReactNode } from 'react';
import { formatCount } from '../../ui/format.ts';
import { say } from '../../ui/say.ts';

export const label = 'Selected requests';
export const requests = (count: number) => `${formatCount(count)} ${count === 1 ? 'request' : 'requests'}`;
export const selected = (requests: ReactNode) => say`${requests} selected`;
export const clear = 'Clear';
export const denyAll = 'Deny all';
export const approveAll = 'Approve all';

export const approve = (requests: string) => `Approve ${requests}`;
export const deny = (requests: string) => `Deny ${requests}`;
export const asked = (button: string) => `${button}?`;
export const goBack = 'Go back';
export const consequence = 'Each request is decided separately. This can’t be undone.';
