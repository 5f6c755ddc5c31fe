import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../api/client.ts';
import { renew } from '../../../api/query-client.ts';
import { reading } from '../../../api/reading.ts';
import { useForm } from '../../../api/use-form.ts';
import { fieldProblem } from '../../../api/use-submit.ts';
import { toast } from '../../../ui/announce.tsx';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { Choice } from '../../../ui/checkbox.tsx';
import { ConfirmDialog } from '../../../ui/form-dialog.tsx';
import { ErrorPanel } from '../../../ui/notice.tsx';
import { TextField } from '../../../ui/text-field.tsx';
import { useProject } from '../project-frame/queries.ts';
import type { Retention } from '../project-frame/wire.ts';

const MOST_DAYS = 36_500;

/** How long texts about people are kept. Hashes are kept forever, so that everything still verifies. */
export function RetentionCard() {
  const { projectId, isAtLeast, path } = useProject();
  const { data, error } = useQuery(
    reading<Retention>(['projects', projectId, 'retention'], path('/retention')),
  );
  return (
    <Card
      title="How long texts are kept"
      lead="Parameters, reasons and names of people are erased when they are older. Hashes, ids and times stay, so permits, receipts and the audit log verify as before."
    >
      <ErrorPanel error={error} />
      {data && (
        <div className="stack">
          <p>
            {sayDays(data.days_in_force)}
            {data.days === null ? ', as the gate’s own setting says.' : ', as this project says.'}
          </p>
          {isAtLeast('owner') && <RetentionForm key={String(data.days)} retention={data} />}
        </div>
      )}
    </Card>
  );
}

type Kept = 'gate' | 'ever' | 'days';

function RetentionForm({ retention }: { retention: Retention }) {
  const { projectId, path } = useProject();
  const { days: current, gate_days: gateDays, days_in_force: inForce } = retention;
  const [kept, setKept] = useState<Kept>(current === null ? 'gate' : current === 0 ? 'ever' : 'days');
  const [isAsking, setAsking] = useState(false);
  const form = useForm({ days: String(current || 365) }, async () => {
    if (kept === 'days' && !(Number.isInteger(wanted) && willHold >= 1 && willHold <= MOST_DAYS)) {
      throw fieldProblem('days', `Give a whole number of days from 1 to ${MOST_DAYS}.`);
    }
    // A longer retention deletes nothing; a shorter one does.
    const isShorter = willHold !== 0 && (inForce === 0 || willHold < inForce);
    if (isShorter && !isAsking) setAsking(true);
    else await save().finally(() => setAsking(false));
  });
  const wanted = kept === 'gate' ? null : kept === 'ever' ? 0 : Number(form.draft.days);
  const willHold = wanted ?? gateDays;
  const save = async () => {
    await api.put(path('/retention'), { days: wanted });
    toast('Set how long texts are kept.');
    await renew(['projects', projectId]);
  };
  return (
    <>
      <form className="stack" noValidate onSubmit={form.submit}>
        <Choice
          legend="Keep texts"
          isLegendUnseen
          name="retention"
          options={[
            { value: 'gate', label: `As the gate says (${sayDays(gateDays).toLowerCase()})` },
            { value: 'ever', label: 'For ever' },
            { value: 'days', label: 'For so many days' },
          ]}
          value={kept}
          onChange={setKept}
        />
        {kept === 'days' && <TextField label="Days" inputMode="numeric" {...form.field('days')} />}
        <ErrorPanel error={form.problem} />
        <div className="button-row">
          <Button type="submit" busy={form.busy} disabled={wanted === current}>
            Save
          </Button>
        </div>
      </form>
      {isAsking && (
        <ConfirmDialog
          title="Erase older texts?"
          confirmLabel="Save and erase"
          change={form.submit}
          onClose={() => setAsking(false)}
        >
          <p>
            Texts of more than {willHold} {willHold === 1 ? 'day' : 'days'} are erased within the hour, and do
            not come back. Backups keep what they hold.
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}

function sayDays(days: number): string {
  if (days === 0) return 'Kept for ever';
  return days === 1 ? 'Kept for one day' : `Kept for ${days} days`;
}
