import { useLocation } from 'react-router';
import { LinkButton } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import * as words from './add-passkey.words.ts';
import type { ShownIntent } from './check-hashes.ts';

/** In place of the button that approves, for a person who has no passkey yet. */
export function AddPasskey({ intent }: { intent: ShownIntent }) {
  const { pathname } = useLocation();
  return (
    <div className="decide-passkey">
      <p>
        <Icon name="passkey" /> {words.missing}
      </p>
      {intent.proof.tier === 'device' && (
        <p className="soft small">{words.deviceKeyInstead(<code>{words.approveCommand(intent.id)}</code>)}</p>
      )}
      <LinkButton
        tone="primary"
        size="l"
        full
        to={`/account/security?return_to=${encodeURIComponent(pathname)}`}
      >
        {words.add}
      </LinkButton>
    </div>
  );
}
