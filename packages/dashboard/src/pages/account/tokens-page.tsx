/** The access tokens of programs that act as this person. Each can be revoked. */
import { Card } from '../../ui/card.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Page } from '../../ui/page.tsx';
import { OwnTokensCard } from '../projects/keys/own-tokens-card.tsx';
import { AccountTabs } from './account-tabs.tsx';

export default function TokensPage() {
  return (
    <Page title="Account" documentTitle="Programs" width="narrow">
      <AccountTabs />
      <OwnTokensCard
        whenNone={
          <Card>
            <EmptyState
              icon="laptop"
              title="No program acts as you"
              lead="This connects a terminal: it shows a code, which you confirm here."
            >
              <CodeBlock code={`permitry login ${location.origin}`} what="the command" wrap />
            </EmptyState>
          </Card>
        }
      />
    </Page>
  );
}
