/**
 * Connects a program to a person's account. The person compares its code, reads what it asks for, and approves or
 * denies.
 */
import { useState } from 'react';
import { isRefusal } from '../../api/api-error.ts';
import { api } from '../../api/client.ts';
import { useForm } from '../../api/use-form.ts';
import { fieldProblem } from '../../api/use-submit.ts';
import { useLinkToken } from '../../app-shell/link-token.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { ErrorPanel, Notice } from '../../ui/notice.tsx';
import { Page } from '../../ui/page.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { PairingQuestion } from './pairing-question.tsx';
import './connect.css';
import type { Wire } from '../../api/wire.ts';
import * as words from './connect.words.ts';

type Step =
  | { kind: 'code' }
  | { kind: 'question'; pairing: Wire<'PairingPreview'> }
  | { kind: 'answered'; status: 'approved' | 'denied'; isKey: boolean };

export default function ConnectPage() {
  const [step, setStep] = useState<Step>({ kind: 'code' });
  return (
    <Page
      key={step.kind}
      title={step.kind === 'answered' ? toTitle(step) : words.title}
      documentTitle={words.title}
      width="narrow"
    >
      {step.kind === 'code' && <CodeForm onFound={(pairing) => setStep({ kind: 'question', pairing })} />}
      {step.kind === 'question' && (
        <PairingQuestion
          pairing={step.pairing}
          onAnswered={(status) =>
            setStep({ kind: 'answered', status, isKey: step.pairing.purpose === 'device_key' })
          }
          onBack={() => setStep({ kind: 'code' })}
        />
      )}
      {step.kind === 'answered' && <Answered {...step} />}
    </Page>
  );
}

function toTitle({ status, isKey }: Extract<Step, { kind: 'answered' }>): string {
  if (status === 'denied') return words.denied;
  return isKey ? words.keyAdded : words.connected;
}

/** The code may have come with the link. The page looks it up only after the person has compared it. */
function CodeForm({ onFound }: { onFound: (pairing: Wire<'PairingPreview'>) => void }) {
  const given = useLinkToken();
  const form = useForm({ user_code: given }, async (draft) => {
    if (draft.user_code.trim() === '') {
      throw fieldProblem('user_code', words.codeMissing);
    }
    onFound(await api.post<Wire<'PairingPreview'>>('/console/pairings/look', draft));
  });
  const isUnknown = isRefusal(form.error, 'not_found');
  const field = form.field('user_code');
  return (
    <Card>
      <form className="stack" onSubmit={form.submit} noValidate>
        <p>{given === '' ? words.enterCode : words.compareCode}</p>
        <ErrorPanel error={isUnknown ? null : form.problem} />
        <TextField
          label={words.code}
          name="user_code"
          className="connect-code"
          autoComplete="off"
          autoCapitalize="characters"
          placeholder="WDJB-MJHT"
          maxLength={32}
          {...field}
          error={isUnknown ? words.codeUnknown : field.error}
        />
        <Button type="submit" tone="primary" size="l" full busy={form.busy}>
          {given === '' ? words.submitCode : words.codesMatch}
        </Button>
      </form>
    </Card>
  );
}

function Answered({ status, isKey }: Extract<Step, { kind: 'answered' }>) {
  if (status === 'denied') {
    return <Notice tone="info">{words.deniedLead}</Notice>;
  }
  return <Notice tone="good">{isKey ? words.keyAddedLead : words.connectedLead}</Notice>;
}
