/** Texts that the pages of an account share. */
import type { ReactNode } from 'react';
import { say } from '../../ui/say.ts';

export const account = 'Account';
export const profile = 'Profile';
export const security = 'Security';
export const sessions = 'Sessions';
/** The tab: short, so that the tabs stay on one line on a phone. */
export const tokens = 'Tokens';
export const accessTokens = 'Access tokens';
export const notifications = 'Notifications';

export const noTokens = 'No access tokens';
export const createToken =
  'To connect a terminal, run this command. It shows a code that you confirm in the dashboard.';
export const theCommand = 'the command';

export const rename = 'Rename';
export const remove = 'Remove';
export const added = (at: ReactNode, last: ReactNode) => say`Added ${at}, ${last}`;
export const lastUsed = (at: ReactNode) => say`last used ${at}`;
export const notUsed = 'not used yet';

export const name = 'Name';
export const nameHint = 'It helps you recognise the entry in the list.';
export const nameMissing = 'Enter a name.';
export const saveName = 'Save name';
