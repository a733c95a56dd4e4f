/** The style of the report: light or dark as the reader's system prefers, and plain on paper. */
export const ASSESSMENT_STYLE = `
:root{--paper:#fff;--panel:#f5f7fa;--ink:#1b222c;--pale:#56616f;--rule:#c5ced8;--well:#006b4d;--well-tint:#e3f5ee;--failed:#a61b1b;--failed-tint:#fde8e8;--blocked:#9a3412;--blocked-tint:#fdeee3;--approval:#7a4b00;--approval-tint:#fff4d6;--plain:#00589b}
@media (prefers-color-scheme:dark){:root{--paper:#12171e;--panel:#1a212b;--ink:#e6eaf0;--pale:#a3afbd;--rule:#364151;--well:#56d3a5;--well-tint:#10302a;--failed:#ff8f8f;--failed-tint:#3a1a1d;--blocked:#ffab7a;--blocked-tint:#3a2417;--approval:#f2c14e;--approval-tint:#352a10;--plain:#6cb6ff}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:1100px;padding:32px 24px 64px;background:var(--paper);color:var(--ink);font:14px/21px system-ui,sans-serif;font-variant-numeric:tabular-nums}
h1{font-size:24px;line-height:32px;margin:0}h2{font-size:18px;line-height:26px;margin:32px 0 8px}
.pale{color:var(--pale);margin:4px 0 12px}
.cards{display:grid;grid-template-columns:repeat(4,1fr);gap:12px;margin:20px 0}
.card{background:var(--panel);border-radius:4px;padding:12px 16px;display:flex;flex-direction:column}
.card b{font-size:24px;line-height:32px}.card span{color:var(--pale);font-size:12px;line-height:16px}
.card.well b{color:var(--well)}.card.failed b{color:var(--failed)}.card.approval b{color:var(--approval)}
.picture{width:100%;max-width:820px;height:auto;display:block}
.picture .label{fill:var(--ink);font:12px system-ui,sans-serif}.picture .value{fill:var(--pale);font:12px system-ui,sans-serif}
.bar.well{fill:var(--well)}.bar.failed{fill:var(--failed)}.bar.blocked{fill:var(--blocked)}.bar.approval{fill:var(--approval)}.bar.plain{fill:var(--plain)}
.wide{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:13px}
th{text-align:left;color:var(--pale);font-weight:600;font-size:12px}
th,td{padding:6px 12px 6px 0;border-bottom:1px solid var(--rule);vertical-align:top}
td.number{text-align:left}
.mark{border-radius:4px;padding:1px 6px;background:var(--panel);color:var(--ink)}
.mark.well{background:var(--well-tint);color:var(--well)}.mark.failed{background:var(--failed-tint);color:var(--failed)}
.mark.blocked{background:var(--blocked-tint);color:var(--blocked)}.mark.approval{background:var(--approval-tint);color:var(--approval)}
ul{padding-left:20px;margin:0}.remarks{list-style:none;padding:0}.remarks li{padding:6px 0;border-bottom:1px solid var(--rule);overflow-wrap:anywhere}
@media (max-width:640px){.cards{grid-template-columns:repeat(2,1fr)}body{padding:16px}}
@media print{body{max-width:none;padding:0}section{break-inside:avoid}}
`.replaceAll('\n', '');
