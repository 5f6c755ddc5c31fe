import { useSignedIn } from '../../api/session.ts';
import { InertText } from '../../inert-text/inert-text.tsx';
import { LinkButton } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Page } from '../../ui/page.tsx';

/** Reads the same for an unknown request and for one in a project without the reader, so it reveals neither. */
export function NotYours({ id }: { id: string | null }) {
  const { user } = useSignedIn();
  return (
    <Page title="Request not found" hideTitle>
      <EmptyState
        icon="search"
        title={
          id === null
            ? 'Request not found, or you don’t have access to its project'
            : 'You no longer have access to this request'
        }
        lead="Check that the link is complete."
        actions={
          <LinkButton tone="primary" to="/inbox">
            Back to inbox
          </LinkButton>
        }
      >
        <p className="soft">
          You are signed in as{' '}
          <b>
            <InertText text={user.email} />
          </b>
          . If a link brought you here, ask its sender for the project. An owner or admin of the project can
          invite you.
        </p>
      </EmptyState>
    </Page>
  );
}
