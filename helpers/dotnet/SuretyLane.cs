using System.Collections.Generic;
using System.Net.Http;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.AspNetCore.Http;

/// <summary>
/// Passes the key of a Surety lane on from a request to the calls that a service makes for it. Copy
/// this file into your service (ASP.NET Core 6 or newer). A service with OpenTelemetry does not need
/// it: see docs/languages.md.
/// <code>
/// app.Use(SuretyLane.Serve);
/// builder.Services.AddTransient&lt;SuretyLane.Handler&gt;();
/// builder.Services.AddHttpClient("rates").AddHttpMessageHandler&lt;SuretyLane.Handler&gt;();
/// </code>
/// </summary>
public static class SuretyLane
{
    // The key is in the first one; the others keep the calls of one request together.
    private static readonly string[] Names = { "baggage", "traceparent", "tracestate", "x-request-id" };

    private static readonly AsyncLocal<Dictionary<string, string>?> Carried = new();

    /// <summary>Middleware that keeps what a request carries while it is served.</summary>
    public static async Task Serve(HttpContext context, RequestDelegate next)
    {
        var carried = new Dictionary<string, string>();
        foreach (var name in Names)
        {
            var value = context.Request.Headers[name].ToString();
            if (value.Length > 0) carried[name] = value;
        }
        // An AsyncLocal that is set in an async method ends with that method.
        Carried.Value = carried;
        await next(context);
    }

    /// <summary>Adds it to calls by HttpClient that are made for the request.</summary>
    public sealed class Handler : DelegatingHandler
    {
        protected override Task<HttpResponseMessage> SendAsync(
            HttpRequestMessage call, CancellationToken cancellation)
        {
            foreach (var (name, value) in Carried.Value ?? new Dictionary<string, string>())
            {
                // A header that the service sets itself stays as it is.
                if (!call.Headers.Contains(name)) call.Headers.TryAddWithoutValidation(name, value);
            }
            return base.SendAsync(call, cancellation);
        }
    }
}
