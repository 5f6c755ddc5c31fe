import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../api/client.ts';
import { useSignedIn } from '../../../api/session.ts';
import { exceptFields, useSubmit } from '../../../api/use-submit.ts';
import { InertText } from '../../../inert-text/inert-text.tsx';
import { toast } from '../../../ui/announce.tsx';
import { ModeBadge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { Checkbox } from '../../../ui/checkbox.tsx';
import { ErrorPanel, Notice } from '../../../ui/notice.tsx';
import { LEAST_RISK } from '../../../ui/risk-choices.ts';
import { Select } from '../../../ui/select.tsx';
import { KindsTable } from './kinds-table.tsx';
import { type Notifications, notificationsQuery, type Preferences } from './queries.ts';
import { QuietHoursFields } from './quiet-hours-fields.tsx';

export function PreferencesForm({
  preferences,
  mailConfigured,
}: {
  preferences: Preferences;
  mailConfigured: boolean;
}) {
  const [wanted, setWanted] = useState(preferences);
  const client = useQueryClient();
  const change = (changes: Partial<Preferences>) => setWanted((before) => ({ ...before, ...changes }));
  const { submit, busy, error } = useSubmit(async () => {
    const saved = await api.put<Preferences>('/console/account/notifications', wanted);
    setWanted(saved);
    client.setQueryData<Notifications>(
      notificationsQuery.queryKey,
      (before) => before && { ...before, preferences: saved },
    );
    toast('What you are told is saved.');
  });
  return (
    <Card title="What you are told">
      <form className="stack loose" onSubmit={submit} noValidate>
        <ErrorPanel error={exceptFields(error, 'quiet_hours.time_zone', 'quiet_hours.to')} focus />
        {!mailConfigured && (
          <Notice>This gate sends no mail: whoever runs it has set no mail server yet.</Notice>
        )}
        <KindsTable channels={wanted.channels} onChange={(channels) => change({ channels })} />
        <Select
          label="Tell me of requests that wait"
          options={LEAST_RISK}
          value={wanted.minimum_risk_tier}
          onChange={(event) =>
            change({ minimum_risk_tier: event.target.value as Preferences['minimum_risk_tier'] })
          }
        />
        <QuietHoursFields
          value={wanted.quiet_hours}
          error={error}
          onChange={(quiet_hours) => change({ quiet_hours })}
        />
        <MutedProjects
          value={wanted.muted_projects}
          onChange={(muted_projects) => change({ muted_projects })}
        />
        <div className="button-row">
          <Button type="submit" tone="primary" busy={busy}>
            Save
          </Button>
        </div>
      </form>
    </Card>
  );
}

function MutedProjects({
  value,
  onChange,
}: {
  value: readonly string[];
  onChange: (muted: string[]) => void;
}) {
  const { memberships } = useSignedIn();
  if (memberships.length === 0) return null;
  return (
    <fieldset className="stack tight">
      <legend className="field-label">Projects you hear of</legend>
      {memberships.map(({ project_id: id, project_name, mode }) => (
        <Checkbox
          key={id}
          label={
            <>
              <InertText text={project_name} /> <ModeBadge mode={mode} />
            </>
          }
          checked={!value.includes(id)}
          onChange={({ target }) =>
            onChange(target.checked ? value.filter((other) => other !== id) : [...value, id])
          }
        />
      ))}
    </fieldset>
  );
}
