import { LinkButton } from '../ui/button.tsx';
import { EntryPage } from './entry-page.tsx';

/** Where there is no page, for who is not signed in: that there is nothing is no secret. */
export default function NoPageOutside() {
  return (
    <EntryPage title="There is no such page" lead="The address may be cut off or mistyped.">
      <LinkButton tone="primary" size="l" full to="/sign-in">
        To the sign-in
      </LinkButton>
    </EntryPage>
  );
}
