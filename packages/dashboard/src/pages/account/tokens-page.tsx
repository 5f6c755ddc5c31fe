/** The access tokens of programs that act as this person. Each can be revoked. */
import { Card } from '../../ui/card.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Page } from '../../ui/page.tsx';
import { OwnTokensCard } from '../projects/keys/own-tokens-card.tsx';
import * as words from './account.words.ts';
import { AccountTabs } from './account-tabs.tsx';

export default function TokensPage() {
  return (
    <Page title={words.account} documentTitle={words.accessTokens} width="narrow">
      <AccountTabs />
      <OwnTokensCard
        whenNone={
          <Card>
            <EmptyState icon="laptop" title={words.noTokens} lead={words.createToken}>
              <CodeBlock code={`permitry login ${location.origin}`} what={words.theCommand} wrap />
            </EmptyState>
          </Card>
        }
      />
    </Page>
  );
}
