/** Texts of the components. */
import { formatCount } from './format.ts';

export const loading = 'Loading';
export const cancel = 'Cancel';
export const close = 'Close';
export const optional = '(optional)';

export const tryAgain = 'Try again';
export const pageFailed = 'Something on this page failed. Reload it.';
/** Before the ID by which the operator finds a refused HTTP call in the log of the gate. */
export const failedCall = 'Request ID';

export const toasts = 'Messages';
export const closeToast = 'Close message';

export const loadMore = 'Load more';
export const shown = (count: number) => `${formatCount(count)} shown`;

export const rowActions = 'Manage';

export const justNow = 'just now';
export const inAMoment = 'in a moment';
export const expired = 'expired';
export const fiveMinutesLeft = 'Five minutes left to decide.';
export const oneMinuteLeft = 'One minute left to decide.';
export const fifteenSecondsLeft = 'Fifteen seconds left to decide.';
export const timeIsOver = 'The time to decide is over.';

export const statuses: Readonly<Record<string, string>> = {
  pending: 'Pending',
  approved: 'Approved',
  denied: 'Denied',
  expired: 'Expired',
  withdrawn: 'Withdrawn',
  active: 'Active',
  paused: 'Paused',
  revoked: 'Revoked',
  stopped: 'Stopped',
  suspended: 'Suspended',
};

export const testMode = 'Test mode';
export const liveMode = 'Live';

export const risks = { low: 'Low', medium: 'Medium', high: 'High', critical: 'Critical' } as const;
/** For screen readers, after one of `risks`. */
export const risk = 'risk';
/** For screen readers, before `notRated`. */
export const riskIs = 'Risk:';
export const notRated = 'Not rated';
export const notRatedMeans = 'Neither the requester nor the policy rated the risk of this request.';

export const anyRisk = 'Any risk';
export const lowRisk = 'Low risk';
export const mediumRisk = 'Medium risk';
export const highRisk = 'High risk';
export const criticalRisk = 'Critical risk';

export const allRisks = 'All risk levels';
export const fromMediumRisk = 'Medium risk and above';
export const fromHighRisk = 'High risk and above';
export const onlyCriticalRisk = 'Critical risk only';

export const theCode = 'the code';
export const theHash = 'the hash';
export const copy = (what: string) => `Copy ${what}`;
export const copied = (what: string) => `Copied ${what}.`;
export const notCopied = (what: string) =>
  `Your browser did not allow the page to copy ${what}. Select the text and copy it yourself.`;

export const typeToConfirm = (word: string) => `Type “${word}” to confirm`;
export const mistyped = (word: string) => `Type “${word}” to confirm.`;

export const password = 'Password';
export const showPassword = 'Show password';
export const hidePassword = 'Hide password';
export const passwordRule = (least: number) => `At least ${least} characters.`;
export const passwordNeeds = (missing: number) =>
  missing === 1 ? '1 more character needed.' : `${missing} more characters needed.`;
export const passwordFits = 'Long enough.';
export const passwordAdvice =
  'A few unrelated words are easy to remember and hard to guess. Digits and symbols are not required.';

export const shortcuts = 'Keyboard shortcuts';
export const enableShortcuts = 'Enable single-key shortcuts';
export const enableShortcutsHint = 'Turn them off if keys act by mistake, for example during speech input.';

export const done = 'Done';
export const wasShown = (what: string) => `The ${what} was already shown`;
export const cannotShowAgain = 'It can’t be shown again.';
export const theSecret = (what: string) => `the ${what}`;
export const copySecret = (what: string) => `Copy ${what}`;
export const isSaved = (what: string) => `I’ve saved this ${what}`;
export const confirmSaved = (what: string) => `Confirm you’ve saved the ${what}.`;
export const confirmSavedBy = (what: string, copyTo: string) =>
  `Confirm you’ve saved the ${what}: it can’t be shown again. Copy it to ${copyTo}.`;
