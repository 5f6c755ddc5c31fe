import { LinkTabs } from '../../ui/tabs.tsx';
import './account.css';

const LINKS = [
  { to: '/account', label: 'Profile', end: true },
  { to: '/account/security', label: 'Security' },
  { to: '/account/sessions', label: 'Sessions' },
  { to: '/account/tokens', label: 'Programs' },
  { to: '/account/notifications', label: 'Notifications' },
];

/** The first element of every account page. */
export function AccountTabs() {
  return <LinkTabs label="Account" links={LINKS} />;
}
