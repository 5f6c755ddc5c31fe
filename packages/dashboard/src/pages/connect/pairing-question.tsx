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
import * as words from './connect.words.ts';
import { NothingToConfirmWith } from './nothing-to-confirm-with.tsx';

type Pairing = Wire<'PairingPreview'>;
type Decision = 'approve' | 'deny';

/** What the program asks for, and the two answers. */
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
      <Notice tone="warn" title={words.warning}>
        {isKey ? words.warningOfKey : words.warningOfProgram}
      </Notice>
      <Card title={isKey ? words.questionOfKey : words.questionOfProgram}>
        <Facts
          of={{
            [words.selfReportedName]: (
              <strong>
                <InertText text={pairing.name} />
              </strong>
            ),
            [words.code]: <code className="connect-shown-code">{pairing.user_code}</code>,
            [words.requested]: <WhenAndWhere pairing={pairing} />,
            [words.account]: <InertText text={user.email} />,
            [words.rights]: isKey ? (
              <WhatAKeyMay />
            ) : (
              <WhatATokenMay decides={pairing.rights.includes('decide')} />
            ),
            [words.valid]:
              pairing.lifetime_seconds === null
                ? words.untilRemoved
                : words.validFor(formatLifetime(pairing.lifetime_seconds)),
            [words.fingerprint]: pairing.key_id !== null && (
              <>
                <Hash value={pairing.key_id} what={words.theFingerprint} long />
                <span className="soft small">{words.compareFingerprint}</span>
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
            {words.deny}
          </Button>
          {!lacksProof && (
            <Button
              tone="approve"
              size="l"
              busy={approving.busy}
              disabled={refusing.busy}
              onClick={approving.submit}
            >
              {isKey ? words.addKey : words.connect}
            </Button>
          )}
        </div>
        <div className="row apart">
          <Button tone="quiet" size="s" onClick={onBack}>
            {words.otherCode}
          </Button>
          <span className="soft small">
            {words.codeExpiresIn(<Countdown until={pairing.expires_at} onEnd={onBack} />)}
          </span>
        </div>
      </Card>
    </>
  );
}

function WhenAndWhere({ pairing }: { pairing: Pairing }) {
  const at = <RelativeTime at={pairing.created_at} />;
  return (
    <>
      {pairing.address === null ? at : words.from(at, <code>{pairing.address}</code>)}
      <br />
      <span className={pairing.same_network ? 'soft small' : 'connect-elsewhere small'}>
        {pairing.same_network ? words.sameNetwork : words.otherNetwork}
      </span>
    </>
  );
}

/** Whether the person has no means here to prove presence, e.g. because they sign in only at a provider. */
function useLacksProof(): boolean {
  const { methods } = useSignedIn();
  const { data: account } = useQuery(accountQuery);
  // A session that began with a one-time link may still count as proof. If the gate refuses later, the page shows that.
  return (
    account !== undefined &&
    !account.has_password &&
    account.passkeys.length === 0 &&
    !methods.includes('link')
  );
}

function WhatATokenMay({ decides }: { decides: boolean }) {
  return decides ? words.inAllProjects(<strong>{words.readsAndDecides}</strong>) : words.reads;
}

function WhatAKeyMay() {
  return words.whereRequired(<strong>{words.provesYou}</strong>);
}
