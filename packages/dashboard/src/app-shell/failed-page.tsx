/** Replaces a page that failed, and pages that do not exist. */
import { Button, LinkButton } from '../ui/button.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { Page } from '../ui/page.tsx';
import * as words from './app-shell.words.ts';

export function FailedPage() {
  return (
    <div className="alone">
      <EmptyState
        icon="alert"
        title={words.pageFailed}
        lead={words.pageFailedMeans}
        actions={
          <Button tone="primary" icon="refresh" onClick={() => window.location.reload()}>
            {words.reload}
          </Button>
        }
      />
    </div>
  );
}

export function NoPage() {
  return (
    <Page title={words.noPage} hideTitle>
      <EmptyState
        icon="search"
        title={words.noPage}
        lead={words.noPageMeans}
        actions={
          <LinkButton tone="primary" to="/inbox">
            {words.goToInbox}
          </LinkButton>
        }
      />
    </Page>
  );
}
