/** Replaces a page that failed, and pages that do not exist. */
import { Button, LinkButton } from '../ui/button.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { Page } from '../ui/page.tsx';

export function FailedPage() {
  return (
    <div className="alone">
      <EmptyState
        icon="alert"
        title="This page failed to load"
        lead="The gate may have been updated while the page was open, or the connection was lost. Nothing was decided."
        actions={
          <Button tone="primary" icon="refresh" onClick={() => window.location.reload()}>
            Load it again
          </Button>
        }
      />
    </div>
  );
}

export function NoPage() {
  return (
    <Page title="No such page" hideTitle>
      <EmptyState
        icon="search"
        title="There is no such page"
        lead="The address may be cut off or mistyped."
        actions={
          <LinkButton tone="primary" to="/inbox">
            To the inbox
          </LinkButton>
        }
      />
    </Page>
  );
}
