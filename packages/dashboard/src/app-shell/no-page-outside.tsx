import { LinkButton } from '../ui/button.tsx';
import { EntryPage } from './entry-page.tsx';

/** The "not found" page for people who are not signed in. That a page does not exist is not a secret. */
export default function NoPageOutside() {
  return (
    <EntryPage title="There is no such page" lead="The address may be cut off or mistyped.">
      <LinkButton tone="primary" size="l" full to="/sign-in">
        To the sign-in
      </LinkButton>
    </EntryPage>
  );
}
