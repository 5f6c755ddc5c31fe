import { Link } from 'react-router';
import { api } from '../api/client.ts';
import { queryClient } from '../api/query-client.ts';
import { useSignedIn } from '../api/session.ts';
import { InertText } from '../inert-text/inert-text.tsx';
import { toast } from '../ui/announce.tsx';
import { Icon } from '../ui/icon.tsx';
import { Menu } from '../ui/menu.tsx';
import { messageOf } from '../ui/notice.tsx';
import * as words from './app-shell.words.ts';
import { ThemeChoice } from './theme-choice.tsx';

export function AccountMenu() {
  const { user } = useSignedIn();
  return (
    <Menu
      label={words.accountMenu(user.email)}
      trigger={
        <>
          <span className="avatar" aria-hidden="true">
            {initialOf(user.name || user.email)}
          </span>
          <Icon name="chevron" size={14} />
        </>
      }
    >
      <div className="menu-person">
        {user.name && (
          <strong>
            <InertText text={user.name} />
          </strong>
        )}
        <span className="soft small">
          <InertText text={user.email} />
        </span>
      </div>
      <hr />
      <Link to="/account">
        <Icon name="account" /> {words.accountAndSecurity}
      </Link>
      <Link to="/account/notifications">
        <Icon name="bell" /> {words.notifications}
      </Link>
      <Link to="/projects">
        <Icon name="overview" /> {words.projects}
      </Link>
      <a href="/docs" target="_blank" rel="noreferrer">
        <Icon name="info" /> {words.apiReference}
      </a>
      <div className="menu-theme">
        <ThemeChoice />
      </div>
      <hr />
      <button type="button" onClick={signOut}>
        <Icon name="sign-out" /> {words.signOut}
      </button>
    </Menu>
  );
}

function initialOf(name: string): string {
  return (/\p{L}|\p{N}/u.exec(name)?.[0] ?? '?').toUpperCase();
}

/** Ends the session and clears everything that was fetched in it. */
export async function signOut(): Promise<void> {
  try {
    // The next person at this browser must not get notifications meant for this one.
    await import('../push/this-browser.ts').then(({ unsubscribe }) => unsubscribe()).catch(() => undefined);
    await api.post('/console/sign-out');
    queryClient.clear();
    // A full page load, so that nothing from the session stays in memory.
    window.location.assign('/sign-in');
  } catch (error) {
    toast(messageOf(error), 'bad');
  }
}
