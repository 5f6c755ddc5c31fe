/** Texts of the frame around every page, and of what replaces a page that failed or does not exist. */

export const product = 'Permitry';
export const skipToContent = 'Skip to content';
export const home = 'Permitry, go to the inbox';
export const navigation = 'Main';

export const inbox = 'Inbox';
export const history = 'History';
export const project = 'Project';
export const account = 'Account';

export const overview = 'Overview';
export const policy = 'Policy';
export const agents = 'Agents';
export const tools = 'Tools';
export const keys = 'Keys';
export const members = 'Members';
export const groups = 'Groups';
export const audit = 'Audit log';
export const notifications = 'Notifications';
export const webhooks = 'Webhooks';
export const settings = 'Settings';
/** After the name of the policy page, for screen readers. */
export const changesToReview = (count: number) =>
  count === 1 ? '1 policy change to review' : `${count} policy changes to review`;

export const chooseProject = 'Choose a project';
export const allProjects = 'All projects…';
/** For projects that share a name. */
export const projectInMode = (name: string, mode: 'test' | 'live') => `${name} (${mode})`;

export const testMode = 'Test mode.';
export const testModeMeans = (projects: string) =>
  `Executors that expect live permits refuse every permit from ${projects}.`;
export const thisProject = 'this project';
export const theseProjects = 'these projects';

export const accountMenu = (email: string) => `Account menu of ${email}`;
export const accountAndSecurity = 'Account and security';
export const projects = 'Projects';
export const apiReference = 'API reference';
export const signOut = 'Sign out';

export const theme = 'Theme';
export const systemTheme = 'System';
export const lightTheme = 'Light';
export const darkTheme = 'Dark';

export const offlineBanner =
  'You are offline. This page may be out of date. You can’t decide requests until you are back online.';
export const offline = 'You are offline';
export const offlineMeans = 'You can’t decide requests until you are back online.';
export const gateSilent = 'The gate is not responding';
export const gateSilentMeans = 'You can’t decide requests until it responds.';

export const pageFailed = 'This page failed to load';
export const pageFailedMeans =
  'The gate may have been updated while the page was open, or the connection was lost. Nothing was decided.';
export const reload = 'Reload page';

export const noPage = 'Page not found';
export const noPageMeans = 'The address may be incomplete or mistyped.';
export const goToInbox = 'Go to the inbox';
export const goToSignIn = 'Go to sign-in';
