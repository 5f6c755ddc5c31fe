import { LinkTabs } from '../../ui/tabs.tsx';
import './account.css';
import * as words from './account.words.ts';

const LINKS = [
  { to: '/account', label: words.profile, end: true },
  { to: '/account/security', label: words.security },
  { to: '/account/sessions', label: words.sessions },
  { to: '/account/tokens', label: words.tokens },
  { to: '/account/notifications', label: words.notifications },
];

/** The first element of every account page. */
export function AccountTabs() {
  return <LinkTabs label={words.account} links={LINKS} />;
}
