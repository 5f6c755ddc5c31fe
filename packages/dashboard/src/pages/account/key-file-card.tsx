import { Card } from '../../ui/card.tsx';
import { Icon } from '../../ui/icon.tsx';

/** For anyone who wants to check this person's approvals without trusting the gate. */
export function KeyFileCard() {
  return (
    <Card title="Key file">
      <div className="row apart account-export">
        <p className="soft small">
          It holds the public halves of your passkeys and device keys. Whoever keeps it can check your
          approvals offline, with <code>npx permitry receipt verify --approvers</code>, without trusting this
          server.
        </p>
        <a className="button" data-size="s" href="/console/account/passkeys/export" download>
          <Icon name="download" /> Download key file
        </a>
      </div>
    </Card>
  );
}
