import { useSignedIn } from '../../api/session.ts';
import { InertText } from '../../inert-text/inert-text.tsx';
import { LinkButton } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Page } from '../../ui/page.tsx';

/** The same for a request that never was and for one of a project one is no member of: it tells neither. */
export function NotYours({ id }: { id: string | null }) {
  const { user } = useSignedIn();
  return (
    <Page title="Nothing to decide here" hideTitle>
      <EmptyState
        icon="search"
        title={id === null ? 'There is no such request for you' : 'This request is no longer shown to you'}
        lead="Either the address is mistyped or cut off, or the request belongs to a project you are not a member of."
        actions={
          <LinkButton tone="primary" to="/inbox">
            To the inbox
          </LinkButton>
        }
      >
        <p className="soft">
          You are signed in as{' '}
          <b>
            <InertText text={user.email} />
          </b>
          . If somebody sent you the link, ask them which project it is for; its owner or an admin can invite
          you.
        </p>
      </EmptyState>
    </Page>
  );
}
