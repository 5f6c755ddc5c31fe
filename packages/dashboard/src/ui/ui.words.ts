/** Texts of the components. */

export const loading = 'Loading';
export const close = 'Close';
export const optional = '(optional)';

export const tryAgain = 'Try again';
export const pageFailed = 'Something on this page failed. Reload it.';
/** Before the ID by which the operator finds a refused HTTP call in the log of the gate. */
export const failedCall = 'Request ID';

export const toasts = 'Messages';
export const closeToast = 'Close message';

export const justNow = 'just now';
export const inAMoment = 'in a moment';
export const expired = 'expired';
export const fiveMinutesLeft = 'Five minutes left to decide.';
export const oneMinuteLeft = 'One minute left to decide.';
export const fifteenSecondsLeft = 'Fifteen seconds left to decide.';
export const timeIsOver = 'The time to decide is over.';

export const pending = 'Pending';
export const approved = 'Approved';
export const denied = 'Denied';
export const hasExpired = 'Expired';
export const withdrawn = 'Withdrawn';
export const active = 'Active';
export const paused = 'Paused';
export const revoked = 'Revoked';
export const stopped = 'Stopped';
export const suspended = 'Suspended';

export const testMode = 'Test mode';
export const liveMode = 'Live';

export const low = 'Low';
export const medium = 'Medium';
export const high = 'High';
export const critical = 'Critical';
/** For screen readers, after one of these four. */
export const risk = 'risk';
/** For screen readers, before `notRated`. */
export const riskIs = 'Risk:';
export const notRated = 'Not rated';
export const notRatedMeans = 'Nobody rated the risk of this request.';

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
  `Your browser did not let the page copy ${what}. Select the text and copy it yourself.`;

export const showPassword = 'Show password';
export const hidePassword = 'Hide password';

export const shortcuts = 'Keyboard shortcuts';
export const enableShortcuts = 'Enable single-key shortcuts';
export const enableShortcutsHint = 'Turn them off if keys act by mistake, for example during speech input.';
