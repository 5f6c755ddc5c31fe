/** Texts that the lists of pending and of decided requests share. */
import { formatCount } from '../../ui/format.ts';

export const search = 'Search action, parameters, requester or ID';
export const searchPlaceholder = 'Action, parameters, requester, ID';
export const project = 'Project';
export const allProjects = 'All projects';
export const testProject = (name: string) => `${name} (test)`;
export const risk = 'Risk';
export const action = 'Action, or its beginning followed by *';
export const actionPlaceholder = 'Action, e.g. deploy.*';

export const moreCharacters = (count: number) =>
  ` … ${formatCount(count)} more ${count === 1 ? 'character' : 'characters'}`;

export const expired = 'expired without enough approvals';
export const withdrawn = 'withdrawn by the requester';
export const byPolicy = (rule: string) => `by policy, rule ${rule}`;
export const byYou = 'by you';
export const by = (person: string) => `by ${person}`;

export const openHighRisk = 'Open to review: high risk.';
export const openDenied = (by: string) => `Open to review: ${by} denied an identical request.`;
export const openApproved = 'Open to review: an identical request was approved in the last 24 hours.';
export const openTooLong = 'Open to review: too long for the list.';
export const openMarked = 'Open to review: it contains marked characters.';
export const openFirstApproval = 'Open to review: this action hasn’t been approved in this project before.';
export const openProof = 'Open to review: it needs more than your sign-in.';

/** The list and the request next to it, which loads separately, share these. */
export const offline = 'You can’t decide while you are offline.';
export const keepSearching = 'Keep searching';
export const passkey = 'passkey';
export const or = ' or ';
/** The requester's own text follows. */
export const explanation = 'Requester’s explanation: ';
