import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { accountQuery } from '../../api/account.ts';
import { api } from '../../api/client.ts';
import { useSignedIn } from '../../api/session.ts';
import { useSubmit } from '../../api/use-submit.ts';
import type { Wire } from '../../api/wire.ts';
import { InertText } from '../../inert-text/inert-text.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Facts } from '../../ui/facts.tsx';
import { formatLifetime } from '../../ui/format.ts';
import { Hash } from '../../ui/hash.tsx';
import { ErrorPanel, Notice } from '../../ui/notice.tsx';
import { Countdown, RelativeTime } from '../../ui/time.tsx';
import { NothingToConfirmWith } from './nothing-to-confirm-with.tsx';

type Pairing = Wire<'PairingPreview'>;
type Decision = 'approve' | 'deny';

/** What the program asks for, in its words and in ours, and the two answers. */
export function PairingQuestion({
  pairing,
  onAnswered,
  onBack,
}: {
  pairing: Pairing;
  onAnswered: (status: 'approved' | 'denied') => void;
  onBack: () => void;
}) {
  const { user } = useSignedIn();
  const [decision, setDecision] = useState<Decision | null>(null);
  const send = async (answer: Decision): Promise<void> => {
    setDecision(answer);
    const { id, user_code } = pairing;
    const { status } = await api.post<Wire<'AnsweredPairing'>>('/console/pairings/confirm', {
      id,
      user_code,
      decision: answer,
    });
    onAnswered(status);
  };
  const approving = useSubmit(() => send('approve'));
  const refusing = useSubmit(() => send('deny'));
  const isKey = pairing.purpose === 'device_key';
  const givesVoice = isKey || pairing.rights.includes('decide');
  const lacksProof = useLacksProof() && givesVoice;
  return (
    <>
      <Notice tone="warn" title="Did you start this yourself, just now?">
        Whoever sent you a code or a link to this page would{' '}
        {isKey ? 'prove that they are you' : 'act as you'}. Refuse what you did not start at your own
        terminal.
      </Notice>
      <Card title={isKey ? 'A device key asks to be yours' : 'A program asks to be yours'}>
        <Facts
          of={{
            'Calls itself': (
              <strong>
                <InertText text={pairing.name} />
              </strong>
            ),
            Code: <code className="connect-shown-code">{pairing.user_code}</code>,
            Asked: <WhenAndWhere pairing={pairing} />,
            Becomes: <InertText text={user.email} />,
            May: isKey ? <WhatAKeyMay /> : <WhatATokenMay decides={pairing.rights.includes('decide')} />,
            For:
              pairing.lifetime_seconds === null
                ? 'until you remove it'
                : `${formatLifetime(pairing.lifetime_seconds)}, or until you end it`,
            Fingerprint: pairing.key_id !== null && (
              <>
                <Hash value={pairing.key_id} what="the fingerprint" long />
                <span className="soft small">Your terminal has to show the same one.</span>
              </>
            ),
          }}
        />
        <ErrorPanel error={(decision === 'approve' ? approving : refusing).error} focus />
        {lacksProof && <NothingToConfirmWith isKey={isKey} userCode={pairing.user_code} />}
        <div className="button-row connect-answers">
          <Button
            tone="deny"
            size="l"
            busy={refusing.busy}
            disabled={approving.busy}
            onClick={refusing.submit}
          >
            Refuse
          </Button>
          {!lacksProof && (
            <Button
              tone="approve"
              size="l"
              busy={approving.busy}
              disabled={refusing.busy}
              onClick={approving.submit}
            >
              {isKey ? 'Add this device key' : 'Connect this program'}
            </Button>
          )}
        </div>
        <div className="row apart">
          <Button tone="quiet" size="s" onClick={onBack}>
            Another code
          </Button>
          <span className="soft small">
            Good for <Countdown until={pairing.expires_at} onEnd={onBack} />
          </span>
        </div>
      </Card>
    </>
  );
}

function WhenAndWhere({ pairing }: { pairing: Pairing }) {
  return (
    <>
      <RelativeTime at={pairing.created_at} />
      {pairing.address !== null && (
        <>
          {' '}
          from <code>{pairing.address}</code>
        </>
      )}
      <br />
      <span className={pairing.same_network ? 'soft small' : 'connect-elsewhere small'}>
        {pairing.same_network
          ? 'You are at the same address now. So is everybody behind the same router or proxy.'
          : 'You are at another address now. That is so when the terminal is on another machine or network.'}
      </span>
    </>
  );
}

/** A person who signs in only at a provider has no means here to prove presence. */
function useLacksProof(): boolean {
  const { methods } = useSignedIn();
  const { data: account } = useQuery(accountQuery);
  // A person who just came by a one-time link gets through. If the gate refuses later, the page shows that.
  return (
    account !== undefined &&
    !account.has_password &&
    account.passkeys.length === 0 &&
    !methods.includes('link')
  );
}

function WhatATokenMay({ decides }: { decides: boolean }) {
  return decides ? (
    <>
      <strong>read all that you see, and approve and deny as you</strong>, in all of your projects. What asks
      for a passkey or a device key it cannot approve alone.
    </>
  ) : (
    <>read all that you see, in all of your projects. It decides and changes nothing.</>
  );
}

function WhatAKeyMay() {
  return (
    <>
      <strong>prove that it is you who decides</strong>, where a request asks for a device key, each time with
      its passphrase. By itself it opens nothing.
    </>
  );
}
