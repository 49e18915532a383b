/** Switches whether drafts are rendered while the visitor types. */
import { live } from './render-loop.ts';
import { Switch } from './switch.tsx';

export function LiveSwitch({ look }: { look?: string }) {
  const change = (checked: boolean) => {
    live.value = checked;
  };
  return <Switch label="Live" checked={live.value} onChange={change} {...(look !== undefined && { look })} />;
}
