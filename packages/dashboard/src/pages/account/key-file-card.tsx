import { Card } from '../../ui/card.tsx';
import { Icon } from '../../ui/icon.tsx';
import * as words from './security.words.ts';

/** For anyone who wants to check this person's approvals without trusting the gate. */
export function KeyFileCard() {
  return (
    <Card title={words.keyFile}>
      <div className="row apart account-export">
        <p className="soft small">
          {words.keyFileLead(<code>npx permitry receipt verify --approvers</code>)}
        </p>
        <a className="button" data-size="s" href="/console/account/passkeys/export" download>
          <Icon name="download" /> {words.downloadKeyFile}
        </a>
      </div>
    </Card>
  );
}
