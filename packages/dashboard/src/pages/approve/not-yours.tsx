import { useSignedIn } from '../../api/session.ts';
import { InertText } from '../../inert-text/inert-text.tsx';
import { LinkButton } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Page } from '../../ui/page.tsx';
import * as words from './not-yours.words.ts';

/**
 * The page reads the same for an unknown request and for one in a project that the reader is not in. So it does not
 * reveal whether the request exists.
 */
export function NotYours({ id }: { id: string | null }) {
  const { user } = useSignedIn();
  return (
    <Page title={words.title} hideTitle>
      <EmptyState
        icon="search"
        title={id === null ? words.notFound : words.accessLost}
        lead={words.lead}
        actions={
          <LinkButton tone="primary" to="/inbox">
            {words.back}
          </LinkButton>
        }
      >
        <p className="soft">
          {words.nextStep(
            <b>
              <InertText text={user.email} />
            </b>,
          )}
        </p>
      </EmptyState>
    </Page>
  );
}
