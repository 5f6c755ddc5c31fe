import { LinkButton } from '../ui/button.tsx';
import * as words from './app-shell.words.ts';
import { EntryPage } from './entry-page.tsx';

/**
 * The "not found" page for people who are not signed in. It may reveal that a page does not exist, because that is not
 * a secret.
 */
export default function NoPageOutside() {
  return (
    <EntryPage title={words.noPage} lead={words.noPageMeans}>
      <LinkButton tone="primary" size="l" full to="/sign-in">
        {words.goToSignIn}
      </LinkButton>
    </EntryPage>
  );
}
