# python3 -m surety_suite suites/payment_flow.py
def validate_payment_flow():
    # Create order
    order = api.post('/orders', {
        'items': [{'sku': 'TEST-001', 'quantity': 1}],
        'total': 29.99
    })
    assert order.status_code == 201

    # Process payment
    payment = api.post(f'/orders/{order.id}/payment', {
        'method': 'card',
        'token': 'tok_test_valid'
    })
    assert payment.status_code == 200
    assert payment.json()['status'] == 'completed'

    # Verify idempotency
    retry = api.post(f'/orders/{order.id}/payment', {
        'method': 'card',
        'token': 'tok_test_valid'
    })
    assert retry.status_code == 200
    assert retry.json()['charge_id'] == payment.json()['charge_id']

    return True
